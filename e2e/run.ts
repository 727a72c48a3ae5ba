/** `npm run e2e`: installs Berth with its chart on a real Kubernetes and runs the end-to-end scenarios. */
import {
  type CommandDefinition,
  type CommandLine,
  commandLineOrExit,
  exitAs,
  refuseCommandLine,
} from '@berth/process/command'
import { counted } from '@berth/text/counted'
import { errorText } from '@berth/text/error-text'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { resourceRefs } from '@berth/k8s-client'
import { helmBinary, kubectlBinary } from '@berth/testing'
import { readVitestCounts, sumCounts } from '@berth/tools/verify/vitest-counts'
import type { Node } from '@berth/types'
import { parse } from 'yaml'
import { CannotRunError } from './cluster/cannot-run.ts'
import { connectWithKubeconfig } from './cluster/connect-with-kubeconfig.ts'
import { findEngine } from './cluster/find-engine.ts'
import { type Lane, lanes, lanesToRun } from './cluster/lanes.ts'
import { reportOf, runLanes } from './cluster/run-lanes.ts'
import { diagnosticsFolder } from './cluster/save-diagnostics.ts'
import { kubernetesVariables } from './cluster/kubernetes-version.ts'
import { differencesOf, leavesOut, unmatchedEntries } from './cluster/listed-differences.ts'
import { readChecks } from './cluster/read-checks.ts'
import { requireGo } from './cluster/require-go.ts'
import { startKindCluster } from './cluster/kind-cluster.ts'
import { runOrThrow } from './cluster/run-command.ts'
import { excludedScenarios, planRun, type RunPlan } from './cluster/run-plan.ts'
import { environmentVariables, type TestEnvironment } from './cluster/test-environment.ts'
import { requireSupportedVersion } from './cluster/require-supported-version.ts'
import { versionDifferences, type VersionDifference } from './cluster/version-differences.ts'
import { requireTwoWorkers } from './cluster/workers.ts'
import { buildAppImage } from './image/app-image.ts'
import { loadImage } from './image/load-image.ts'

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'berth-e2e-'))
const scenarios = join(import.meta.dirname, 'scenarios')
/** The differences of the version of Kubernetes that runs, once it is known. */
let entries: readonly VersionDifference[] = []
const command: CommandDefinition = {
  name: 'npm run e2e --',
  summary: 'Installs Berth with its chart on a real Kubernetes and runs the end-to-end scenarios there.',
  usage: [
    '[--kubernetes MINOR] [--keep] [--reuse] [--node-image IMAGE] [FILTER...]',
    '--provider existing --kubeconfig FILE --image REPOSITORY:TAG [FILTER...]',
  ],
  arguments: [
    { name: 'FILTER', description: 'Run the scenario files whose path contains this text.', isRepeatable: true },
  ],
  flags: [
    {
      name: 'keep',
      description: 'Leave the kind cluster running at the end. Its kubeconfig is .berth/e2e-kubeconfig.',
    },
    { name: 'reuse', description: 'Use the cluster that an earlier run with --keep left.' },
    {
      name: 'kubernetes',
      placeholder: 'MINOR',
      description:
        'Version of Kubernetes in kind: 1.34, 1.35 or 1.36, the default. Checks for which it lacks a feature are listed.',
    },
    {
      name: 'node-image',
      placeholder: 'IMAGE',
      description: "Image of a kind node. Default: kind's own image, or one built here if that cannot be pulled.",
    },
    {
      name: 'provider',
      placeholder: 'kind|existing',
      description:
        'Cluster to test. Default: kind. With existing, scenarios that need the containers of kind nodes are excluded.',
    },
    {
      name: 'kubeconfig',
      placeholder: 'FILE',
      description: 'Kubeconfig of the existing cluster. Requires cluster-admin.',
    },
    {
      name: 'image',
      placeholder: 'REPOSITORY:TAG',
      description: 'Image of the apps that the nodes of the existing cluster can pull. npm run image builds one.',
    },
  ],
  examples: [
    {
      command: 'npm run e2e -- --keep --reuse device-plugin',
      description: 'Run the scenarios of the device plugin repeatedly on one cluster',
    },
  ],
}

const startMs = performance.now()
const log = (text: string): void => {
  for (const line of text.trim().split('\n')) {
    if (line !== '') console.log(`[${((performance.now() - startMs) / 1000).toFixed(0).padStart(4)} s] ${line}`)
  }
}

/** Refuses a cluster that cannot run the scenarios. Returns its minor version. */
async function requireCluster(kubeconfig: string): Promise<string> {
  await using cluster = connectWithKubeconfig(kubeconfig)
  const { gitVersion } = await cluster.serverVersion()
  const chart = parse(readFileSync(join(root, 'charts', 'berth', 'Chart.yaml'), 'utf8')) as {
    readonly kubeVersion: string
  }
  requireSupportedVersion(gitVersion, chart.kubeVersion)
  requireTwoWorkers((await cluster.client.list<Node>(resourceRefs.nodes)).items)
  log(`Kubernetes ${gitVersion}`)
  return gitVersion.replace(/^v(\d+\.\d+).*/, '$1')
}

/** Builds what the scenarios need besides the image: the bundle of the CLI and the packed example plugins. */
async function buildApps(): Promise<void> {
  log('building the apps')
  await runOrThrow('turbo', ['run', 'build', '--output-logs=errors-only'], { timeoutMs: 10 * 60_000 })
}

/** Returns the path of a program, or throws CannotRunError when neither the machine nor npm provides it. */
async function orCannotRun(binary: Promise<string>): Promise<string> {
  try {
    return await binary
  } catch (error) {
    throw new CannotRunError(errorText(error))
  }
}

/** Returns a directory that contains `kubectl`, or '' when the one on PATH is used. */
async function folderWithKubectl(): Promise<string> {
  const binary = await orCannotRun(kubectlBinary())
  if (binary === 'kubectl') return ''
  const folder = join(scratch, 'bin')
  mkdirSync(folder)
  symlinkSync(binary, join(folder, 'kubectl'))
  return folder
}

/** The cluster and the scenarios of a run. */
interface ScenarioRun {
  readonly plan: RunPlan
  readonly lanes: readonly Lane[]
  readonly excludedFolders: readonly string[]
  readonly filters: readonly string[]
}

/** Finds the scenarios of a run. @throws CannotRunError when no scenario that the plan's cluster can run matches a filter. */
function planScenarios(plan: RunPlan, filters: readonly string[]): ScenarioRun {
  const excluded = excludedScenarios(plan, { isSlowWanted: process.env['BERTH_E2E_SLOW'] === '1' })
  for (const { folder, reason } of excluded) log(`excluded: scenarios/${folder}, because ${reason}`)
  const excludedFolders = excluded.map(({ folder }) => folder)
  const found = lanesToRun(globSync('*/*.test.ts', { cwd: scenarios }), { excluded: excludedFolders, filters })
  if (found.length === 0)
    throw new CannotRunError(`No scenario to run has ${filters.join(' or ')} in its path: see e2e/scenarios`)
  return { plan, lanes: found, excludedFolders, filters }
}

/** Runs the scenarios. @param kubernetes - Minor version of the cluster. */
async function runScenarios(
  run: ScenarioRun,
  kubernetes: string,
  environment: TestEnvironment,
  binDir: string,
): Promise<number> {
  rmSync(diagnosticsFolder, { recursive: true, force: true })
  entries = differencesOf(versionDifferences, kubernetes)
  for (const { featureGate, reason, file, suite, checks = [] } of entries) {
    const what =
      suite === undefined ? `expected to fail: ${counted(checks.length, 'check')} of` : `left out: ${suite} in`
    log(`${what} scenarios/${file}, because ${reason} (${featureGate ?? 'no feature gate'})`)
  }
  const env = {
    ...process.env,
    ...pathWith(binDir),
    ...kubernetesVariables(kubernetes),
    BERTH_E2E_EXCLUDED: run.excludedFolders.join(','),
  }
  const clusterEnv = environmentVariables(environment)
  return await runLanes(run.lanes, { reports: scratch, filters: run.filters, env, clusterEnv })
}

const pathWith = (binDir: string): { readonly PATH: string } => ({
  PATH: [binDir, process.env['PATH'] ?? ''].filter((part) => part !== '').join(':'),
})

async function main(run: ScenarioRun): Promise<number> {
  const { plan } = run
  if (plan.provider === 'existing') {
    const kubeconfig = resolve(plan.kubeconfig)
    const binDir = await folderWithKubectl()
    const helm = await orCannotRun(helmBinary())
    const kubernetes = await requireCluster(kubeconfig)
    await buildApps()
    const environment = {
      kubeconfig,
      helm,
      image: plan.image,
      engine: 'docker',
      kind: '',
      nodeContainers: [],
      isOffline: false,
    }
    return await runScenarios(run, kubernetes, environment, binDir)
  }
  await requireGo()
  const engine = await findEngine(log)
  const helm = await orCannotRun(helmBinary())
  await buildApps()
  const kubeconfig = join(root, '.berth', 'e2e-kubeconfig')
  await using cluster = await startKindCluster({ ...plan, engine, kubeconfig, log })
  const { nodes, binDir, isOffline } = cluster
  const kubernetes = await requireCluster(kubeconfig)
  if (kubernetes !== plan.kubernetes)
    throw new CannotRunError(
      `The cluster runs Kubernetes ${kubernetes}: add --kubernetes ${kubernetes}, or leave out --reuse`,
    )
  const { tag } = await buildAppImage({ engine, isOffline, log })
  const kind = join(binDir, 'kind')
  const loaded = await loadImage({ engine, kind, tag, nodes })
  log(loaded.length === 0 ? 'every node has the image' : `loaded the image into ${loaded.join(', ')}`)
  return await runScenarios(
    run,
    kubernetes,
    { kubeconfig, helm, image: tag, engine, kind, nodeContainers: nodes, isOffline },
    binDir,
  )
}

function readPlan(line: CommandLine): RunPlan {
  try {
    return planRun({
      keep: line.has('keep'),
      reuse: line.has('reuse'),
      provider: line.text('provider') ?? 'kind',
      kubernetes: line.text('kubernetes'),
      'node-image': line.text('node-image'),
      kubeconfig: line.text('kubeconfig'),
      image: line.text('image'),
    })
  } catch (error) {
    return exitAs(refuseCommandLine(command, errorText(error)))
  }
}

const line = commandLineOrExit(command, process.argv.slice(2))
const plan = readPlan(line)
let status = 1
try {
  status = await main(planScenarios(plan, line.words))
} catch (error) {
  console.error(errorText(error))
  if (error instanceof CannotRunError) process.exit(2)
}
const reports = lanes.map((lane) => reportOf(scratch, lane))
const counts = sumCounts(reports.map((path) => readVitestCounts(path)))
const checks = reports.flatMap((path) => readChecks(path, scenarios))
rmSync(scratch, { recursive: true })
const unmatched = unmatchedEntries(entries, checks)
for (const entry of unmatched) console.error(`no check matches this entry of version-differences.ts: ${entry}`)
// A skipped test proves nothing, so it counts as failed. So does a run that was interrupted before any test passed.
const skipped = checks.filter(
  (check) => !['passed', 'failed'].includes(check.status) && !entries.some((entry) => leavesOut(entry, check)),
)
const failed = counts.failed + skipped.length + unmatched.length
if (failed > 0 || counts.passed === 0) status ||= 1
if (status !== 0 && existsSync(diagnosticsFolder)) log(`diagnostics of the cluster: ${diagnosticsFolder}`)
log('end')
console.log(`${counts.passed} passed, ${status !== 0 && failed === 0 ? 1 : failed} failed`)
process.exitCode = status
