/* Files of arrays, read and written: .npy, .npz, pictures. */
#ifndef WEFT_CLI_FILES_H
#define WEFT_CLI_FILES_H

#include "cli/files/file.h"
#include "cli/files/kind.h"
#include "cli/files/mapping.h"
#include "cli/files/npy.h"
#include "cli/files/npz.h"
#include "cli/files/picture.h"
#include "cli/files/tensor.h"

#endif
