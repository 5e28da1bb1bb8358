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
            for (i64 i = column0, m; i < column1; i += m) {
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
