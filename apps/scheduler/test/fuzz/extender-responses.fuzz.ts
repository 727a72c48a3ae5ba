import assert from 'node:assert/strict'
import { ExtenderError } from '../../src/errors.ts'
import {
  readBindResponse,
  readFilterResponse,
  readPreemptResponse,
  readPrioritizeResponse,
  type ExtenderVerdict,
} from '../../src/extenders/extender-response.ts'

const ASKED = ['a', 'b', '__proto__']
const URL = 'http://127.0.0.1'

export const contract: string =
  'A filter response divides the asked nodes into passed and failed ones; scores and victims have the types of the protocol.'
export const refusals: readonly unknown[] = [ExtenderError]
export const dictionary: readonly string[] = [
  'NodeNames',
  'Nodes',
  'items',
  'metadata',
  'name',
  'FailedNodes',
  'FailedAndUnresolvableNodes',
  'Error',
  'Host',
  'Score',
  'NodeNameToMetaVictims',
  'Pods',
  'UID',
  'NumPDBViolations',
  'a',
  'b',
  'nodenames',
  'null',
]

const readers = {
  filter: (text: string) => readFilterResponse(text, ASKED, { url: URL, nodeCacheCapable: true }),
  'filter-nodes': (text: string) => readFilterResponse(text, ASKED, { url: URL, nodeCacheCapable: false }),
  prioritize: (text: string) => readPrioritizeResponse(text, URL),
  preempt: (text: string) => readPreemptResponse(text, URL),
  bind: (text: string) => readBindResponse(text, URL),
}

/** The first line is the verb, the rest the response. */
export function parse(input: Uint8Array): { readonly verb: string; readonly read: unknown } {
  const text = Buffer.from(input).toString()
  const end = text.indexOf('\n')
  const verb = text.slice(0, Math.max(0, end))
  const reader = new Map(Object.entries(readers)).get(verb)
  if (reader === undefined) throw new ExtenderError('no such verb', { code: 'BERTH_FUZZ_VERB' })
  return { verb, read: reader(text.slice(end + 1)) }
}

export function verify({ verb, read }: ReturnType<typeof parse>): void {
  if (verb.startsWith('filter')) {
    const { passed, failed } = read as ExtenderVerdict
    assert.deepEqual([...passed, ...failed.keys()].toSorted(), ASKED.toSorted())
    for (const { reason } of failed.values()) assert.equal(typeof reason, 'string')
  }
  if (verb === 'prioritize')
    for (const { Host, Score } of read as ReturnType<typeof readPrioritizeResponse>) {
      assert.equal(typeof Host, 'string')
      assert.ok(Number.isSafeInteger(Score))
    }
  if (verb === 'preempt')
    for (const { Pods } of (read as ReturnType<typeof readPreemptResponse>).values())
      for (const { UID } of Pods) assert.equal(typeof UID, 'string')
}
