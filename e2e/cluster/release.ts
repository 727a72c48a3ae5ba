import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { saveDiagnostics } from './save-diagnostics.ts'
import { runOrThrow, runCommand, type CommandOptions, type CommandResult } from './run-command.ts'
import { testEnvironment } from './test-environment.ts'

const chart = join(import.meta.dirname, '..', '..', 'charts', 'berth')
/** Name of the release under test. */
export const RELEASE = 'berth'
/** Namespace of the release under test. */
export const NAMESPACE = 'berth-e2e'

/** A chart and an image of its apps. */
export interface ChartVersion {
  /** Folder of the chart. */
  readonly chart: string
  readonly image: string
}

/** Returns the chart of this working tree and the image under test. */
export const versionUnderTest = (): ChartVersion => ({ chart, image: testEnvironment().image })

/** Options of an installation of the chart. */
export interface ReleaseOptions {
  /** A file of `charts/berth/profiles`, without its extension. */
  readonly profile: string
  readonly values?: unknown
  /** Pod security level of the namespace. Default: `privileged`, for the directory of sockets on the node. */
  readonly podSecurity?: 'restricted' | 'privileged'
  /** Image of the apps. Default: the image under test. */
  readonly image?: string
  /** Folder of the chart. Default: that of this working tree. */
  readonly chart?: string
}

/** Options of {@link Release.tryUpgrade}. */
export interface UpgradeOptions {
  /** Default: the version that was installed. */
  readonly version?: ChartVersion
  /** Kills Helm with SIGKILL. */
  readonly signal?: AbortSignal
}

/** An installed release of the chart. Disposing uninstalls it. */
export interface Release extends AsyncDisposable {
  /** Output of Helm after the installation. */
  readonly notes: string
  /**
   * `helm upgrade` with the same profile and other values.
   *
   * @param version - Default: the version that was installed.
   * @throws Error with the end of Helm's output and the directory of diagnostics.
   */
  upgrade(values: unknown, version?: ChartVersion): Promise<void>
  /** As `upgrade`, but does not throw when it fails. */
  tryUpgrade(values: unknown, options?: UpgradeOptions): Promise<CommandResult>
  /** `helm rollback` to a revision. @throws Error with the end of Helm's output. */
  rollback(revision: number): Promise<void>
  /** Returns the status and the revision that Helm reports, for example `deployed 3`. */
  status(): Promise<string>
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
  ...chosen
}: ReleaseOptions): Promise<Release> {
  const environment = testEnvironment()
  const installed = { ...versionUnderTest(), ...chosen }
  const helm = (args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> =>
    runCommand(environment.helm, ['--kubeconfig', environment.kubeconfig, '--namespace', NAMESPACE, ...args], {
      timeoutMs: 360_000,
      ...options,
    })
  const folder = await mkdtemp(join(tmpdir(), 'berth-release-'))
  const apply = async (
    verb: 'install' | 'upgrade',
    changed: unknown,
    { version = installed, signal }: UpgradeOptions = {},
  ): Promise<CommandResult> => {
    const file = join(folder, 'values.yaml')
    const at = version.image.lastIndexOf(':')
    const image = { repository: version.image.slice(0, at), tag: version.image.slice(at + 1) }
    await writeFile(file, stringify({ ...(changed as object), image }))
    const from = ['--values', join(version.chart, 'profiles', `${profile}.yaml`), '--values', file]
    const args = [verb, RELEASE, version.chart, ...from, '--wait', '--timeout', '300s']
    return helm(args, signal === undefined ? {} : { signal })
  }
  const applyOrThrow = async (...args: Parameters<typeof apply>): Promise<string> => {
    const { status, stdout, stderr } = await apply(...args)
    if (status === 0) return stdout
    const diagnostics = await saveDiagnostics(environment, `helm-${args[0]}-${profile}`)
    throw new Error(`helm ${args[0]} ${RELEASE}: ${stderr.trim().slice(-2000)}\ndiagnostics: ${diagnostics}`)
  }
  await ensureNamespace(podSecurity)
  // Removes what an interrupted run left, and Leases, which the next holder would otherwise wait for.
  await helm(['uninstall', RELEASE, '--ignore-not-found', '--no-hooks', '--wait'])
  await runOrThrow('kubectl', [
    '--kubeconfig',
    environment.kubeconfig,
    '--namespace',
    NAMESPACE,
    'delete',
    'leases',
    '--all',
  ])
  const notes = await applyOrThrow('install', values)
  const uninstall = (): Promise<CommandResult> => helm(['uninstall', RELEASE, '--wait', '--timeout', '300s'])
  return {
    notes,
    async upgrade(changed, version = installed) {
      await applyOrThrow('upgrade', changed, { version })
    },
    tryUpgrade: (changed, options) => apply('upgrade', changed, options),
    async rollback(revision) {
      const { status, stderr } = await helm(['rollback', RELEASE, String(revision), '--wait', '--timeout', '300s'])
      if (status !== 0) throw new Error(`helm rollback ${RELEASE}: ${stderr.trim().slice(-2000)}`)
    },
    async status() {
      const { stdout, stderr } = await helm(['status', RELEASE, '--output', 'json'])
      if (stdout === '') throw new Error(`helm status ${RELEASE}: ${stderr.trim()}`)
      const { info, version } = JSON.parse(stdout) as {
        readonly info: { readonly status: string }
        readonly version: number
      }
      return `${info.status} ${version}`
    },
    async test() {
      const { status, stdout, stderr } = await helm(['test', RELEASE, '--timeout', '300s'])
      if (status !== 0) throw new Error(`helm test ${RELEASE}: ${stdout}${stderr}`)
      return stdout
    },
    uninstall,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true })
      if ((await helm(['status', RELEASE])).status !== 0) return
      const { status, stderr } = await uninstall()
      if (status === 0) return
      await helm(['uninstall', RELEASE, '--no-hooks', '--wait'])
      throw new Error(`helm uninstall ${RELEASE}: ${stderr.trim().slice(-2000)}`)
    },
  }
}
