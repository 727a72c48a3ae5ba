import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { saveDiagnostics } from './save-diagnostics.ts'
import { runOrThrow, runCommand, type CommandResult } from './run-command.ts'
import { testEnvironment } from './test-environment.ts'

const chart = join(import.meta.dirname, '..', '..', 'charts', 'berth')
/** Name of the release under test. */
export const RELEASE = 'berth'
/** Namespace of the release under test. */
export const NAMESPACE = 'berth-e2e'

/** Options of an installation of the chart. */
export interface ReleaseOptions {
  /** A file of `charts/berth/profiles`, without its extension. */
  readonly profile: string
  readonly values?: unknown
  /** Pod security level of the namespace. Default: `privileged`, for the directory of sockets on the node. */
  readonly podSecurity?: 'restricted' | 'privileged'
  /** Image of the apps. Default: the image under test. */
  readonly image?: string
}

/** An installed release of the chart. Disposing uninstalls it. */
export interface Release extends AsyncDisposable {
  /** Output of Helm after the installation. */
  readonly notes: string
  /** `helm upgrade` with the same profile and other values. @throws Error with the end of Helm's output and the directory of diagnostics. */
  upgrade(values: unknown): Promise<void>
  /** `helm test`. @throws Error with its output when it fails. */
  test(): Promise<string>
  /** `helm uninstall`. Does not throw when it fails. */
  uninstall(): Promise<CommandResult>
}

/** Creates the namespace of the release, or changes its pod security level. */
export async function ensureNamespace(podSecurity: string): Promise<void> {
  const kubectl = ['--kubeconfig', testEnvironment().kubeconfig]
  const labels = { 'pod-security.kubernetes.io/enforce': podSecurity }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } }
  await runOrThrow('kubectl', [...kubectl, 'apply', '--server-side', '-f', '-'], { input: JSON.stringify(namespace) })
}

/**
 * Installs the chart with the image under test and waits until everything is ready.
 *
 * @throws Error with the end of Helm's output and the directory of diagnostics.
 */
export async function installRelease({
  profile,
  values = {},
  podSecurity = 'privileged',
  image: reference = testEnvironment().image,
}: ReleaseOptions): Promise<Release> {
  const environment = testEnvironment()
  const helm = (...args: readonly string[]): Promise<CommandResult> =>
    runCommand(environment.helm, ['--kubeconfig', environment.kubeconfig, '--namespace', NAMESPACE, ...args], {
      timeoutMs: 360_000,
    })
  const folder = await mkdtemp(join(tmpdir(), 'berth-release-'))
  const at = reference.lastIndexOf(':')
  const image = { repository: reference.slice(0, at), tag: reference.slice(at + 1) }
  const apply = async (verb: 'install' | 'upgrade', changed: unknown): Promise<string> => {
    const file = join(folder, 'values.yaml')
    await writeFile(file, stringify({ ...(changed as object), image }))
    const from = ['--values', join(chart, 'profiles', `${profile}.yaml`), '--values', file]
    const result = await helm(verb, RELEASE, chart, ...from, '--wait', '--timeout', '300s')
    if (result.status === 0) return result.stdout
    const diagnostics = await saveDiagnostics(environment, `helm-${verb}-${profile}`)
    throw new Error(`helm ${verb} ${RELEASE}: ${result.stderr.trim().slice(-2000)}\ndiagnostics: ${diagnostics}`)
  }
  await ensureNamespace(podSecurity)
  // Removes what an interrupted run left, and Leases, which the next holder would otherwise wait for.
  await helm('uninstall', RELEASE, '--ignore-not-found', '--no-hooks', '--wait')
  await runOrThrow('kubectl', [
    '--kubeconfig',
    environment.kubeconfig,
    '--namespace',
    NAMESPACE,
    'delete',
    'leases',
    '--all',
  ])
  const notes = await apply('install', values)
  const uninstall = (): Promise<CommandResult> => helm('uninstall', RELEASE, '--wait', '--timeout', '300s')
  return {
    notes,
    async upgrade(changed) {
      await apply('upgrade', changed)
    },
    async test() {
      const { status, stdout, stderr } = await helm('test', RELEASE, '--timeout', '300s')
      if (status !== 0) throw new Error(`helm test ${RELEASE}: ${stdout}${stderr}`)
      return stdout
    },
    uninstall,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true })
      if ((await helm('status', RELEASE)).status !== 0) return
      const { status, stderr } = await uninstall()
      if (status === 0) return
      await helm('uninstall', RELEASE, '--no-hooks', '--wait')
      throw new Error(`helm uninstall ${RELEASE}: ${stderr.trim().slice(-2000)}`)
    },
  }
}
