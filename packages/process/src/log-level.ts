/** Log levels, from the most to the least verbose. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const

/** The minimum level that is logged. */
export type LogLevel = (typeof logLevels)[number]
