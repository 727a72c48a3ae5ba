import { systemClock } from '@berth/clock'
import { commandLineOrExit } from '@berth/process/command'
import { setTimeout as pause } from 'node:timers/promises'
import { resourceRefs, startLeaderElection } from '@berth/k8s-client'
import { silentLogger } from '@berth/types'
import { connectWithKubeconfig } from '../cluster/connect-with-kubeconfig.ts'

const line = commandLineOrExit(
  {
    name: 'lease-candidate.ts',
    summary:
      'Competes for a lease and, while it leads, writes one ConfigMap per turn. The writes are the evidence: a process that writes after another has taken over was not fenced.',
    arguments: [
      { name: 'KUBECONFIG', description: 'The API server.', isRequired: true },
      { name: 'IDENTITY', description: 'Name of this candidate.', isRequired: true },
    ],
    flags: [
      { name: 'unfenced', description: 'Write without calling stillLeader().' },
      { name: 'check-once', description: 'Call stillLeader() when a write begins, but not when it is sent.' },
      { name: 'queued', description: 'Start writes faster than the rate limit sends them: some are always waiting.' },
      { name: 'lease-seconds', placeholder: 'N', range: { min: 1, max: 60 }, description: 'Default: 3.' },
    ],
    examples: [{ command: 'lease-candidate.ts kubeconfig a --queued', description: 'A candidate with waiting writes' }],
  },
  process.argv.slice(2),
)
const [path = '', identity = ''] = line.words
const isQueued = line.has('queued')
const isFenced = !line.has('unfenced')
const isFencedWhenSent = isFenced && !line.has('check-once')
/** Short with --queued: many more writes begin than are sent, even if a turn takes longer than this. */
const turnMs = isQueued ? 20 : 100
const leaseDurationMs = (line.number('lease-seconds') ?? 3) * 1_000
const clock = systemClock()
const stopping = new AbortController()
process.once('SIGTERM', () => stopping.abort())

await using cluster = connectWithKubeconfig(path, isQueued ? { qps: 5, burst: 1 } : {})
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
    if (!isQueued) await written
  } else console.log(`held back ${turn}`)
  await pause(turnMs)
}
