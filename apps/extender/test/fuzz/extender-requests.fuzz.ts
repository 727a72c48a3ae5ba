import assert from 'node:assert/strict'
import { BerthError, isRecord } from '@berth/types'
import { fit, post, startTestExtender, type TestExtender } from '../test-extender.ts'

const VERBS: ReadonlySet<string> = new Set(['filter', 'prioritize', 'preempt', 'bind'])
const NAMES = ['a', 'full', '__proto__', 'gone']

/** The extender refused the request in its own words. */
class RequestRefusal extends BerthError {
  constructor(reason: string) {
    super(reason, { code: 'BERTH_FUZZ_REQUEST' })
  }
}

export const contract: string =
  'The extender answers in JSON, names only nodes of the request, and still answers a good request afterwards.'
export const refusals: readonly unknown[] = [RequestRefusal]
export const dictionary: readonly string[] = [
  'Pod',
  'Nodes',
  'NodeNames',
  'nodenames',
  'NodeNameToVictims',
  'NodeNameToMetaVictims',
  'Pods',
  'UID',
  'NumPDBViolations',
  'metadata',
  'name',
  'namespace',
  'uid',
  'labels',
  'spec',
  'containers',
  'initContainers',
  'resources',
  'requests',
  'limits',
  'example.com/dongle',
  'cpu',
  'tolerations',
  'affinity',
  'nodeSelector',
  'overhead',
  'items',
  'PodName',
  'PodNamespace',
  'PodUID',
  'Node',
  'a',
  'full',
  'topologySpreadConstraints',
  'volumes',
  'restartPolicy',
  'Always',
]

let started: Promise<TestExtender> | undefined

async function startExtender(): Promise<TestExtender> {
  const extender = await startTestExtender({ plugins: [fit], bindAs: 'fuzz' })
  await extender.createNode('a', { 'example.com/dongle': '4' })
  await extender.createNode('full', { 'example.com/dongle': '1' })
  await extender.createBoundPod('holder', 'full', { 'example.com/dongle': '1' })
  await extender.settle()
  return extender
}

/** A request and the answer of the extender. */
interface Answered {
  readonly extender: TestExtender
  readonly verb: string
  readonly body: string
  readonly answer: unknown
}

/** The first line is the verb, the rest the body. */
export async function parse(input: Uint8Array): Promise<Answered> {
  const text = Buffer.from(input).toString()
  const end = text.indexOf('\n')
  const verb = text.slice(0, Math.max(0, end))
  if (!VERBS.has(verb)) throw new RequestRefusal('no such verb')
  const extender = await (started ??= startExtender())
  const body = text.slice(end + 1)
  const posted = post(extender.address, `/${verb}`, body)
  const { status, text: answered } = verb === 'bind' ? await extender.drive(posted) : await posted
  assert.equal(status, 200, answered)
  const answer: unknown = JSON.parse(answered)
  if (isRecord(answer) && typeof answer['Error'] === 'string' && answer['Error'] !== '')
    throw new RequestRefusal(answer['Error'])
  return { extender, verb, body, answer }
}

export async function verify({ extender, verb, body, answer }: Answered): Promise<void> {
  if (verb === 'filter')
    assert.deepEqual(
      namesIn(answer).filter((name) => !body.includes(JSON.stringify(name).slice(1, -1))),
      [],
    )
  const good = {
    Pod: { metadata: { name: 'good', namespace: 'default', uid: 'u' }, spec: { containers: [DONGLE] } },
    NodeNames: NAMES,
  }
  const { json } = await post(extender.address, '/filter', good)
  assert.deepEqual(namesIn(json()), ['a'])
}

const DONGLE = { name: 'main', resources: { requests: { 'example.com/dongle': '1' } } }

/** The nodes that passed a filter call. */
function namesIn(answer: unknown): readonly string[] {
  const { NodeNames, Nodes } = answer as {
    readonly NodeNames?: readonly string[] | null
    readonly Nodes?: { readonly items: readonly { readonly metadata: { readonly name: string } }[] } | null
  }
  return NodeNames ?? Nodes?.items.map(({ metadata }) => metadata.name) ?? []
}
