import type { podRequest } from '@berth/resources'

type Request = ReturnType<typeof podRequest>

/** Returns the requested amounts by resource name: whole units, cpu in milli. */
export function unitsOf({ milliCpu, memory, ephemeralStorage, scalar }: Request): ReadonlyMap<string, bigint> {
  return new Map([['cpu', milliCpu], ['memory', memory], ['ephemeral-storage', ephemeralStorage], ...scalar])
}
