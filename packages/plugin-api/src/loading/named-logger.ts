import type { Logger } from '@berth/types'

/** Returns a logger that adds the name of a plugin to each line. Fields of the line itself take precedence. */
export function namedLogger(log: Logger, plugin: string): Logger {
  return {
    debug: (fields, message) => log.debug({ plugin, ...fields }, message),
    info: (fields, message) => log.info({ plugin, ...fields }, message),
    warn: (fields, message) => log.warn({ plugin, ...fields }, message),
    error: (fields, message) => log.error({ plugin, ...fields }, message),
  }
}
