/**
 * Competes for a lease and, while it leads, writes one ConfigMap per turn. The writes are the evidence: a process that
 * writes after another has taken over was not fenced.
 *
 * Usage: lease-candidate.ts KUBECONFIG IDENTITY [--unfenced] [--queued] [--check-once] [--lease-seconds=3]
 *
 * --queued starts writes faster than the rate limit sends them, so that some are always waiting. --check-once calls
 * stillLeader() when a write begins, but not when it is sent.
 */
import { systemClock } from '@berth/clock'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connectCluster, loadKubeconfig, resourceRefs, startLeaderElection } from '@berth/k8s-client'
import { silentLogger } from '@berth/types'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    unfenced: { type: 'boolean', default: false },
    queued: { type: 'boolean', default: false },
    'check-once': { type: 'boolean', default: false },
    'lease-seconds': { type: 'string', default: '3' },
  },
})
const [path = '', identity = hostname()] = positionals
const isFenced = !values.unfenced
const isFencedWhenSent = isFenced && !values['check-once']
const rate = values.queued ? { qps: 5, burst: 1 } : {}
/** Short with --queued: many more writes begin than are sent, even if a turn takes longer than this. */
const turnMs = values.queued ? 20 : 100
const leaseDurationMs = Number(values['lease-seconds']) * 1_000
const clock = systemClock()
const access = loadKubeconfig({ path, env: {}, home: '/' })
const stopping = new AbortController()
process.once('SIGTERM', () => stopping.abort())

await using cluster = connectCluster({
  access,
  log: silentLogger,
  clock,
  random: Math.random,
  userAgent: `lease-candidate/${identity}`,
  ...rate,
})
await using election = startLeaderElection({
  client: cluster.client,
  namespace: 'default',
  name: 'passed-on',
  identity,
  leaseDurationMs,
  renewDeadlineMs: (leaseDurationMs * 2) / 3,
  retryPeriodMs: 300,
  clock,
  random: Math.random,
  log: silentLogger,
})
console.log('waiting')
await election.whenLeading(stopping.signal).catch(() => undefined)
if (!stopping.signal.aborted) console.log('leading')
for (let turn = 0; !stopping.signal.aborted; turn++) {
  const mayWrite = election.stillLeader() || !isFenced
  if (mayWrite) {
    const metadata = { namespace: 'default', name: `${identity}-${turn}`, labels: { writer: identity } }
    const mayStart = (): boolean => election.stillLeader() || !isFencedWhenSent
    const written = cluster.client.create(resourceRefs.configMaps, { metadata }, { mayStart }).then(
      () => console.log(`wrote ${turn}`),
      (error: unknown) => console.log(`failed ${turn}: ${String(error)}`),
    )
    if (!values.queued) await written
  } else console.log(`held back ${turn}`)
  await pause(turnMs)
}
