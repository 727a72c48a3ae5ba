import { fakeClock, type FakeClock, seededRandom } from '@berth/clock/testing'
import type { ApiHandler, Pod } from '@berth/types'
import { connectCluster, type BindOutcome } from '../../src/index.ts'
import { bindFaults, bindServer, type BindFault } from './bind-server.ts'
import { clientWitness } from './client-witness.ts'
import type { FaultCounts } from './fault-counts.ts'
import { timeBindRecovery } from './time-bind-recovery.ts'

const PODS = 12
/** The server's own time limit for a request. */
const LATE_MS = 60_000

/**
 * Binds pods while seeded faults happen and a rival deletes, re-creates and binds pods of the same names.
 *
 * @param plant - Wraps the server with a planted bug of the client, for tests of this test.
 * @returns What was wrong; empty when every outcome was the truth.
 */
export async function runBindSeed(
  seed: number,
  counts: FaultCounts,
  plant: (handler: ApiHandler) => ApiHandler = (handler) => handler,
): Promise<readonly string[]> {
  const random = seededRandom(seed)
  const clock = fakeClock({ turns: 2 })
  const problems: string[] = []
  let serial = 0
  const name = 'web-0'
  let forced: BindFault | 'none' | undefined
  const witness = clientWitness(counts, (fields) => ('path' in fields ? String(fields.path) : ''))
  const server = bindServer({
    witness,
    clock,
    forced: () => forced,
    random,
    counts,
    rival({ pods }) {
      if (forced !== undefined) return
      const dice = random()
      if (dice < 0.08) pods.delete(name)
      else if (dice < 0.2) pods.set(name, { uid: `uid-${++serial}` })
      else if (dice < 0.25) {
        const pod = pods.get(name)
        if (pod !== undefined) pod.nodeName ??= 'rival'
      }
    },
  })
  await using cluster = connectCluster({
    handler: plant(server.handle),
    log: witness.log,
    clock,
    random,
    userAgent: 'test',
    qps: 0,
  })
  for (let round = 0; round < PODS; round++) {
    const uid = `uid-${++serial}`
    const nodeName = `node-${round}`
    server.pods.set(name, { uid })
    const pod: Pod = { metadata: { namespace: 'default', name, uid }, spec: { containers: [] } }
    const outcome = await settle(cluster.client.bind(pod, nodeName), clock)
    const isThere = server.pods.get(name)?.uid === uid
    if (outcome.kind === 'bound' && server.binds.get(uid) !== nodeName) problems.push('said bound too early')
    // The server may still act on earlier requests; the outcomes must be true afterwards, too.
    await clock.advance(LATE_MS)
    const wrong = falseClaim(outcome, server.binds.get(uid) === nodeName, isThere)
    if (wrong !== undefined) problems.push(wrong)
    problems.push(...witness.unmet())
    for (const [bound, node] of server.binds)
      if (node === nodeName && bound !== uid) problems.push(`bound another pod of the same name to ${node}`)
  }
  const lasting = bindFaults[seed % bindFaults.length] ?? 'lost before'
  forced = lasting
  const tookMs = await timeBindRecovery({ cluster, server, clock, heal: () => void (forced = 'none') })
  if (tookMs === undefined) problems.push(`no bind within two seconds after the end of ${lasting}`)
  else counts.recovered(`${lasting} of every call for 10 s`, tookMs)
  for (const ms of server.early) problems.push(`came back ${Math.round(ms)} ms before Retry-After had passed`)
  return problems
}

function falseClaim(outcome: BindOutcome, isBound: boolean, isThere: boolean): string | undefined {
  switch (outcome.kind) {
    case 'bound':
      return isBound ? undefined : 'said bound, but it is not'
    case 'unsent':
      return isBound ? 'said unsent, but it is bound' : undefined
    case 'rejected':
      // A 409 may be about an earlier bind of this client, and a server may have bound the pod before it failed.
      if (outcome.status === 404) return isThere ? 'said 404, but it is there' : undefined
      return isBound && outcome.status !== 409 && outcome.status < 500 ? 'said rejected, but it is bound' : undefined
    case 'unknown':
      return undefined
  }
}

async function settle<T>(call: Promise<T>, clock: FakeClock): Promise<T> {
  const state = { isDone: false }
  const finish = (): void => void (state.isDone = true)
  void call.then(finish, finish)
  await clock.settle()
  for (let seconds = 0; seconds < 600 && !state.isDone; seconds++) await clock.advance(1_000)
  return call
}
