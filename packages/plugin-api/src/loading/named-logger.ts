import type { Logger } from '@berth/types'

/** The same logger, whose lines carry the name of a plugin; fields of the line itself come first. */
export function namedLogger(log: Logger, plugin: string): Logger {
  return {
    debug: (fields, message) => log.debug({ plugin, ...fields }, message),
    info: (fields, message) => log.info({ plugin, ...fields }, message),
    warn: (fields, message) => log.warn({ plugin, ...fields }, message),
    error: (fields, message) => log.error({ plugin, ...fields }, message),
  }
}
