import type { Logger } from '@berth/types'
import type { FaultCounts } from './fault-counts.ts'

/** Finds out from the client's log which failures it met; a server only knows what it sent. */
export interface ClientWitness {
  /** The logger for the client under test. */
  readonly log: Logger
  /**
   * Notes that a fault was injected into a request.
   *
   * @param where - Requests with the same `where` follow each other: the next failure belongs to the first fault.
   * @param expectedError - Matches code and message of the error that the client must see.
   */
  injected(where: string, name: string, expectedError: RegExp): void
  /** Returns and forgets the faults that the client has not met so far, or met with another error. */
  unmet(): readonly string[]
}

/** Creates a witness that counts the faults that were met. */
export function clientWitness(counts: FaultCounts, whereOf: (fields: object) => string): ClientWitness {
  const pending = new Map<string, { readonly name: string; readonly expectedError: RegExp }[]>()
  const wrong: string[] = []
  const noteFailure = (fields: object): void => {
    if (!('err' in fields) || !(fields.err instanceof Error)) return
    const first = pending.get(whereOf(fields))?.shift()
    if (first === undefined) return
    const { err } = fields
    const seen = `${'code' in err ? String(err.code) : ''} ${err.message}`
    if (first.expectedError.test(seen)) counts.observed(first.name)
    else wrong.push(`met ${first.name} as ${seen}`)
  }
  const log: Logger = { debug: noteFailure, info: noteFailure, warn: noteFailure, error: noteFailure }
  return {
    log,
    injected(where, name, expectedError) {
      const queue = pending.get(where) ?? []
      queue.push({ name, expectedError })
      pending.set(where, queue)
    },
    unmet() {
      const left = [...pending.values()].flat().map(({ name }) => `the client never met ${name}`)
      pending.clear()
      return [...wrong.splice(0), ...left]
    },
  }
}
