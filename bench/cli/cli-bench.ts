import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AuditedRequest, parseAuditLog } from '@berth/e2e/cluster/audit-log'
import { type RealApiServer, startRealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { openTcpGate, type TcpGate } from '@berth/e2e/real-api-server/tcp-gate'
import { startProgram } from '@berth/process/testing'
import { kubeletNodes } from '../advertiser/kubelet-node.ts'
import { requireBinaries } from '../extender/extender-bench.ts'
import { assertCorrect, type Bench, type BenchOptions, type Measurement } from '../measurement.ts'
import { summarize } from '../statistics.ts'
import { boundPods, PENDING, pendingPod, RESOURCE } from './sample-pods.ts'

const MAIN = join(import.meta.dirname, '../../apps/kubectl-berth/dist/parts/main.js')
const USER_AGENT = 'kubectl-berth'
const MAX_CAPACITY_REQUESTS = 8
/** Discovery, and a list for each kind that is shown, in pages of 2,500 objects. */
const MAX_REQUESTS = 40
const AUDIT_LOG = 'audit.log'

/** One run of the built kubectl plugin. */
interface Run {
  readonly wallMs: number
  /** From the last byte of the API server to the end of the process. */
  readonly afterLoadMs: number
  readonly stdout: string
  readonly requests: readonly AuditedRequest[]
}

/** Measures the built kubectl plugin on a real API server with a large cluster. */
export const cliBench: Bench = {
  name: 'cli',
  summary: 'the built kubectl plugin on a real API server with 5,000 nodes and 10,000 pods',
  async run(options) {
    requireBinaries()
    assertCorrect(existsSync(MAIN), `${MAIN} is missing: run npm run build`)
    const [nodes, pods, rounds] = options.isQuick ? [200, 400, 1] : [5_000, 10_000, 5]
    const dir = mkdtempSync(join(tmpdir(), 'berth-bench-cli-'))
    using _ = { [Symbol.dispose]: () => rmSync(dir, { recursive: true }) }
    await using server = await startAuditedServer(dir)
    await server.seed(kubeletNodes(nodes))
    await server.seed([...boundPods(pods, nodes), pendingPod])
    await using gate = await openTcpGate(server.port)
    const run = commandRunner(server, gate, dir)
    // The API server reads the objects from etcd at the first list.
    const first = await run('capacity', '--all', '-o', 'json')
    checkCapacity(first.stdout, pods)
    const cases = [
      { name: 'start-up: kubectl berth --version', words: ['--version'] },
      { name: 'capacity --all', words: ['capacity', '--all'] },
      { name: 'brief -A', words: ['brief', '-A'] },
      { name: 'explain, all of it', words: ['explain', 'pod', PENDING] },
    ]
    const lines: Measurement[] = []
    for (const { name, words } of cases) {
      const runs = await repeat(rounds, () => run(...words))
      checkRequests(name, runs, options)
      lines.push(
        line(
          name,
          runs.map(({ wallMs }) => wallMs),
        ),
      )
      if (words[0] === 'explain') {
        for (const { stdout } of runs) assertCorrect(stdout.includes(RESOURCE), `explain does not name ${RESOURCE}`)
        lines.push(
          line(
            'explain, after the last byte of the API server',
            runs.map(({ afterLoadMs }) => afterLoadMs),
          ),
        )
      }
    }
    return lines
  },
}

function line(name: string, samples: readonly number[]): Measurement {
  return { bench: 'cli', case: name, unit: 'ms', ...summarize(samples) }
}

async function repeat(times: number, call: () => Promise<Run>): Promise<readonly Run[]> {
  const runs: Run[] = []
  while (runs.length < times) runs.push(await call())
  return runs
}

/** Starts an API server that audits every request. */
async function startAuditedServer(dir: string): Promise<RealApiServer> {
  const policy = join(dir, 'audit-policy.yaml')
  const rules = [{ level: 'Metadata', resources: [] }]
  const omitStages = ['RequestReceived', 'ResponseStarted']
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages, rules }))
  const flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${join(dir, AUDIT_LOG)}`]
  return await startRealApiServer({ isDurable: true, flags })
}

/** Returns a function that runs the plugin through the gate and reads which requests it sent. */
function commandRunner(
  server: RealApiServer,
  gate: TcpGate,
  dir: string,
): (...words: readonly string[]) => Promise<Run> {
  const kubeconfig = join(dir, 'cli.kubeconfig')
  writeFileSync(kubeconfig, server.kubeconfig('admin', gate.port), { mode: 0o600 })
  return async (...words) => {
    const sentBefore = requestsIn(dir).length
    const startMs = performance.now()
    const { code, stdout, stderr } = await startProgram(MAIN, [...words, '--kubeconfig', kubeconfig]).ended
    const endMs = performance.now()
    assertCorrect(
      code === 0 || words[0] === 'explain',
      `kubectl berth ${words.join(' ')} exits with ${code}: ${stderr}`,
    )
    return {
      wallMs: endMs - startMs,
      afterLoadMs: endMs - gate.lastBytesAtMs(),
      stdout,
      requests: requestsIn(dir).slice(sentBefore),
    }
  }
}

function requestsIn(dir: string): readonly AuditedRequest[] {
  const file = join(dir, AUDIT_LOG)
  if (!existsSync(file)) return []
  return parseAuditLog(readFileSync(file, 'utf8')).filter(({ userAgent }) => userAgent?.startsWith(USER_AGENT) === true)
}

/** Checks that the command sent no request for each object. */
function checkRequests(name: string, runs: readonly Run[], { progress }: BenchOptions): void {
  const counts = runs.map(({ requests }) => requests.length)
  progress(`${name}: ${Math.max(...counts)} requests, ${Math.round(Math.max(...runs.map(({ wallMs }) => wallMs)))} ms`)
  const max = name.startsWith('capacity') ? MAX_CAPACITY_REQUESTS : MAX_REQUESTS
  assertCorrect(Math.max(...counts) <= max, `${name} sends ${Math.max(...counts)} requests, more than ${max}`)
  if (name.startsWith('explain')) return
  const named = runs.flatMap(({ requests }) => requests).find(({ objectRef }) => objectRef?.name !== undefined)
  assertCorrect(named === undefined, `${name} asks for one object: ${named?.requestURI}`)
}

/** Checks that the pods of the cluster are counted. */
function checkCapacity(stdout: string, pods: number): void {
  const { resources } = JSON.parse(stdout) as {
    readonly resources: readonly { readonly resourceName: string; readonly requested: number }[]
  }
  const cores = resources.find(({ resourceName }) => resourceName === 'cpu')?.requested
  assertCorrect(cores === pods, `capacity shows ${cores} cores, and the pods request ${pods}`)
}
