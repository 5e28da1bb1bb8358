/* $ marks what the emitter fills in, a line each. */
$comment
$types
$sizes
$args
$library
$helpers
$blocks
$entry
{
    $literals
    $faults
    $buffers
    BAND_ROOM //~
    $bands
        BAND_VALUES //~
        $band
        $rows
            $row
            $turn
                $operands
                $turns
                $results
            }
        }
    }
    $remarks
    $end
}
