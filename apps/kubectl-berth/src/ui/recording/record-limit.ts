/** Largest file of a recording, unless the command line says otherwise: hours of 50 changes a second. */
export const DEFAULT_RECORD_LIMIT_MIB = 1_024
