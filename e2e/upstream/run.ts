/** `npm run e2e:upstream`: runs parts of Kubernetes' own end-to-end suite with kube-scheduler and then with Berth, and compares. */
import { type CommandDefinition, commandLineOrExit, exitAs, refuseCommandLine } from '@berth/process/command'
import { eventually } from '@berth/testing'
import { errorText } from '@berth/text/error-text'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { CannotRunError } from '../cluster/cannot-run.ts'
import { findEngine } from '../cluster/find-engine.ts'
import { startKindCluster, type KindCluster } from '../cluster/kind-cluster.ts'
import { requireGo } from '../cluster/require-go.ts'
import { runOrThrow } from '../cluster/run-command.ts'
import type { ControlPlane } from '../cluster/control-plane-manifest.ts'
import { isSchedulerReady, readSchedulerImage, replaceSchedulerImage } from '../cluster/scheduler-manifest.ts'
import { buildAppImage } from '../image/app-image.ts'
import { loadImage } from '../image/load-image.ts'
import { buildPrograms, type UpstreamPrograms } from './build-programs.ts'
import { compareResults } from './compare-results.ts'
import type { SpecResults } from './read-report.ts'
import { installNodeAgents } from './node-agents.ts'
import { openControlPlane } from './open-control-plane.ts'
import { runSuite } from './run-suite.ts'
import { upstreamSuites, type UpstreamSuite } from './suites.ts'
import { loadTestImages } from './test-images.ts'

const root = join(import.meta.dirname, '..', '..')
const reports = join(root, '.berth', 'e2e-upstream')
const names = upstreamSuites.map(({ name }) => name)
const command: CommandDefinition = {
  name: 'npm run e2e:upstream --',
  summary:
    "Runs parts of Kubernetes' own end-to-end suite in kind, first with kube-scheduler and then with Berth in its place. Fails if a spec that passes with kube-scheduler does not pass with Berth.",
  arguments: [{ name: 'SUITE', description: `Parts to run: ${names.join(', ')}. Default: all.`, isRepeatable: true }],
  flags: [
    { name: 'keep', description: 'Leave the kind cluster running at the end.' },
    { name: 'reuse', description: 'Use the cluster that an earlier run with --keep left.' },
  ],
  examples: [{ command: 'npm run e2e:upstream -- scheduling', description: 'Run the specs of SIG Scheduling' }],
}

const startMs = performance.now()
const log = (text: string): void =>
  console.log(`[${((performance.now() - startMs) / 1000).toFixed(0).padStart(4)} s] ${text.trim()}`)

/** The startup probe of kubeadm's manifest allows four minutes, and a busy machine needs more to replace the pod. */
const READY_MS = 12 * 60_000

/** Waits until the pod of kubeadm's manifest is ready. */
async function untilReady(cluster: KindCluster, { node }: ControlPlane, image: string): Promise<void> {
  const kubectl = kubectlFor(cluster)
  const isReady = async (): Promise<true | undefined> =>
    (await isSchedulerReady({ kubectl }, node, image)) ? true : undefined
  const signal = new AbortController().signal
  try {
    await eventually(isReady, { what: `${image} to be ready`, timeoutMs: READY_MS, intervalMs: 500, signal })
  } catch (error) {
    const pod = ['-n', 'kube-system', `kube-scheduler-${node}`]
    log(await kubectl('describe', 'pod', ...pod).catch(errorText))
    log(await kubectl('logs', '--tail=50', ...pod).catch(errorText))
    throw error
  }
}

function kubectlFor({ kubeconfig, binDir }: KindCluster): (...args: readonly string[]) => Promise<string> {
  return (...args) => runOrThrow(join(binDir, 'kubectl'), ['--kubeconfig', kubeconfig, ...args])
}

/** Runs the suites with the scheduler that the manifest names. */
async function runSuites(
  scheduler: string,
  suites: readonly UpstreamSuite[],
  programs: UpstreamPrograms,
  cluster: KindCluster,
  { node }: ControlPlane,
): Promise<ReadonlyMap<UpstreamSuite, SpecResults>> {
  const { kubeconfig, binDir } = cluster
  const results = new Map<UpstreamSuite, SpecResults>()
  for (const suite of suites) {
    log(`${scheduler}: ${suite.summary}`)
    const folder = join(reports, scheduler, suite.name)
    await using _open = suite.usesControlPlane === true ? await openControlPlane(kubectlFor(cluster), node) : undefined
    const result = await runSuite({ suite, programs, kubeconfig, binDir, folder })
    const passed = [...result.values()].filter(({ state }) => state === 'passed').length
    log(`${scheduler}: ${passed} of ${result.size} specs passed`)
    results.set(suite, result)
  }
  return results
}

/** Prints the comparison and returns how many specs passed and failed. */
function report(suite: UpstreamSuite, kubeScheduler: SpecResults, berth: SpecResults): readonly [number, number] {
  console.log(`\n${suite.name}: ${suite.summary}`)
  for (const { text, reason } of suite.skipped) console.log(`left out: ${text}: ${reason}`)
  const compared = compareResults(kubeScheduler, berth)
  for (const { spec, isPassed, problem } of compared)
    console.log(isPassed ? `passed: ${spec}` : `FAILED: ${spec}: ${problem}`)
  const passed = compared.filter(({ isPassed }) => isPassed).length
  return [passed, compared.length - passed]
}

/** Returns how many specs passed with both schedulers, and how many did not. */
async function main(suites: readonly UpstreamSuite[], isKept: boolean, isReused: boolean): Promise<[number, number]> {
  await requireGo()
  const engine = await findEngine(log)
  log('building the apps')
  await runOrThrow('turbo', ['run', 'build', '--output-logs=errors-only'], { timeoutMs: 10 * 60_000 })
  const kubeconfig = join(root, '.berth', 'e2e-kubeconfig')
  await using cluster = await startKindCluster({ engine, nodeImage: undefined, isReused, isKept, kubeconfig, log })
  const { nodes, binDir, isOffline } = cluster
  const programs = await buildPrograms(binDir, log)
  const kind = join(binDir, 'kind')
  if (isOffline) await loadTestImages({ engine, kind, nodes, agnhost: programs.agnhost, log })
  const { tag } = await buildAppImage({ engine, isOffline, target: 'kube-scheduler', log })
  await loadImage({ engine, kind, tag, nodes })
  const controlPlane = { engine, node: nodes.find((name) => name.endsWith('-control-plane')) ?? '' }
  rmSync(reports, { recursive: true, force: true })
  await using _agents = await installNodeAgents(join(binDir, 'kubectl'), kubeconfig)

  await untilReady(cluster, controlPlane, await readSchedulerImage(controlPlane))
  const theirs = await runSuites('kube-scheduler', suites, programs, cluster, controlPlane)
  await using _restored = await replaceSchedulerImage(controlPlane, tag)
  await untilReady(cluster, controlPlane, tag)
  const ours = await runSuites('berth', suites, programs, cluster, controlPlane)

  const counts = suites.map((suite) => report(suite, theirs.get(suite) ?? new Map(), ours.get(suite) ?? new Map()))
  return [counts.reduce((sum, [passed]) => sum + passed, 0), counts.reduce((sum, [, failed]) => sum + failed, 0)]
}

const line = commandLineOrExit(command, process.argv.slice(2))
const unknown = line.words.find((word) => !names.includes(word))
if (unknown !== undefined)
  exitAs(refuseCommandLine(command, `unknown suite ${unknown}; known suites: ${names.join(', ')}`))
const selected = upstreamSuites.filter(({ name }) => line.words.length === 0 || line.words.includes(name))
try {
  const [passed, failed] = await main(selected, line.has('keep'), line.has('reuse'))
  log(`reports: ${reports}`)
  console.log(`${passed} passed, ${failed} failed`)
  if (failed > 0 || passed === 0) process.exitCode = 1
} catch (error) {
  console.error(errorText(error))
  process.exitCode = error instanceof CannotRunError ? 2 : 1
}
