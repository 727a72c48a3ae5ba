import type { Logger } from '@berth/types'
import type { FaultCounts } from './fault-counts.ts'

/** Tells by the client's own log which failures it met; a server only knows what it sent. */
export interface ClientWitness {
  /** To be given to the client under test. */
  readonly log: Logger
  /**
   * A fault was injected into a request.
   *
   * @param where - Requests of one place follow each other: the next failure there belongs to the first fault.
   * @param metAs - Code or words of the error that the client must see.
   */
  injected(where: string, name: string, metAs: RegExp): void
  /** Faults that the client has not met so far, or met as something else; forgets them. */
  unmet(): readonly string[]
}

/** Makes a witness that counts what is met. */
export function clientWitness(counts: FaultCounts, whereOf: (fields: object) => string): ClientWitness {
  const pending = new Map<string, { readonly name: string; readonly metAs: RegExp }[]>()
  const wrong: string[] = []
  const hear = (fields: object): void => {
    if (!('err' in fields) || !(fields.err instanceof Error)) return
    const first = pending.get(whereOf(fields))?.shift()
    if (first === undefined) return
    const { err } = fields
    const seen = `${'code' in err ? String(err.code) : ''} ${err.message}`
    if (first.metAs.test(seen)) counts.observed(first.name)
    else wrong.push(`met ${first.name} as ${seen}`)
  }
  const log: Logger = { debug: hear, info: hear, warn: hear, error: hear }
  return {
    log,
    injected(where, name, metAs) {
      const queue = pending.get(where) ?? []
      queue.push({ name, metAs })
      pending.set(where, queue)
    },
    unmet() {
      const left = [...pending.values()].flat().map(({ name }) => `the client never met ${name}`)
      pending.clear()
      return [...wrong.splice(0), ...left]
    },
  }
}
