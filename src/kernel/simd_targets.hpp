#pragma once

// Included before Highway by every file that is compiled for several targets.
// The loops keep vectors in arrays and structs, which the sizeless types of SVE do not allow: Arm runs NEON.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif
