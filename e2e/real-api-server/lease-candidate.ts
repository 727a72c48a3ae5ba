/**
 * A process that competes for a lease and, while it leads, writes one ConfigMap per turn. Its writes are the witness:
 * whoever wrote after another had taken over was not fenced.
 *
 * Usage: lease-candidate.ts KUBECONFIG IDENTITY [--unfenced]
 */
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { connectCluster, loadKubeconfig, resourceRefs, startLeaderElection } from '@berth/k8s-client'
import { realClock } from '@berth/k8s-client/testing'
import { silentLogger } from '@berth/types'

const TURN_MS = 100
const [path = '', identity = hostname(), flag] = process.argv.slice(2)
const isFenced = flag !== '--unfenced'
const clock = realClock()
const access = loadKubeconfig({ path, env: {}, home: '/' })
const stopping = new AbortController()
process.once('SIGTERM', () => stopping.abort())

await using cluster = connectCluster({
  access,
  log: silentLogger,
  clock,
  random: Math.random,
  userAgent: `lease-candidate/${identity}`,
})
await using election = startLeaderElection({
  client: cluster.client,
  namespace: 'default',
  name: 'passed-on',
  identity,
  leaseDurationMs: 3_000,
  renewDeadlineMs: 2_000,
  retryPeriodMs: 300,
  clock,
  random: Math.random,
  log: silentLogger,
})
await election.whenLeading(stopping.signal).catch(() => undefined)
if (!stopping.signal.aborted) console.log('leading')
for (let turn = 0; !stopping.signal.aborted; turn++) {
  const mayWrite = election.stillLeader() || !isFenced
  if (mayWrite) {
    const metadata = { namespace: 'default', name: `${identity}-${turn}`, labels: { writer: identity } }
    await cluster.client.create(resourceRefs.configMaps, { metadata }).then(
      () => console.log(`wrote ${turn}`),
      (error: unknown) => console.log(`failed ${turn}: ${String(error)}`),
    )
  } else console.log(`held back ${turn}`)
  await pause(TURN_MS)
}
