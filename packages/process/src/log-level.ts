/** Severities, from the most to the least talkative. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const

/** Least severity that is logged. */
export type LogLevel = (typeof logLevels)[number]
