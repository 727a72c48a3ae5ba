import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { keepEvidence } from './save-diagnostics.ts'
import { must, runCommand, type CommandResult } from './run-command.ts'
import { sessionUnderTest } from './test-environment.ts'

const chart = join(import.meta.dirname, '..', '..', 'charts', 'berth')
/** Name of the release under test. */
export const RELEASE = 'berth'
/** Its namespace. */
export const NAMESPACE = 'berth-e2e'

/** How to install the chart. */
export interface ReleaseOptions {
  /** A file of `charts/berth/profiles`, without its ending. */
  readonly profile: string
  readonly values?: unknown
  /** What the namespace enforces; default: `privileged`, for the directory of sockets on the node. */
  readonly podSecurity?: 'restricted' | 'privileged'
}

/** The chart, installed. Disposing uninstalls it. */
export interface Release extends AsyncDisposable {
  /** What Helm printed after the installation. */
  readonly notes: string
  /** `helm upgrade` with the same profile and other values. @throws Error with Helm's last words and the folder of evidence. */
  upgrade(values: unknown): Promise<void>
  /** `helm test`. @throws Error with what it printed when it fails. */
  test(): Promise<string>
  /** `helm uninstall`; does not throw when it fails. */
  uninstall(): Promise<CommandResult>
}

/** Makes the namespace of the release, or changes what it enforces. */
export async function ensureNamespace(podSecurity: string): Promise<void> {
  const kubectl = ['--kubeconfig', sessionUnderTest().kubeconfig]
  const labels = { 'pod-security.kubernetes.io/enforce': podSecurity }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } }
  await must('kubectl', [...kubectl, 'apply', '--server-side', '-f', '-'], { input: JSON.stringify(namespace) })
}

/**
 * Installs the chart with the image under test and waits until everything is ready.
 *
 * @throws Error with Helm's last words and the folder of evidence.
 */
export async function installRelease({
  profile,
  values = {},
  podSecurity = 'privileged',
}: ReleaseOptions): Promise<Release> {
  const session = sessionUnderTest()
  const helm = (...args: readonly string[]): Promise<CommandResult> =>
    runCommand(session.helm, ['--kubeconfig', session.kubeconfig, '--namespace', NAMESPACE, ...args], {
      timeoutMs: 360_000,
    })
  const folder = await mkdtemp(join(tmpdir(), 'berth-release-'))
  const at = session.image.lastIndexOf(':')
  const image = { repository: session.image.slice(0, at), tag: session.image.slice(at + 1) }
  const putIn = async (verb: 'install' | 'upgrade', changed: unknown): Promise<string> => {
    const file = join(folder, 'values.yaml')
    await writeFile(file, stringify({ ...(changed as object), image }))
    const from = ['--values', join(chart, 'profiles', `${profile}.yaml`), '--values', file]
    const result = await helm(verb, RELEASE, chart, ...from, '--wait', '--timeout', '300s')
    if (result.status === 0) return result.stdout
    const evidence = await keepEvidence(session, `helm-${verb}-${profile}`)
    throw new Error(`helm ${verb} ${RELEASE}: ${result.stderr.trim().slice(-2000)}\nevidence: ${evidence}`)
  }
  await ensureNamespace(podSecurity)
  // What a broken-off run left; and Leases, which the next holder would wait out.
  await helm('uninstall', RELEASE, '--ignore-not-found', '--no-hooks', '--wait')
  await must('kubectl', ['--kubeconfig', session.kubeconfig, '--namespace', NAMESPACE, 'delete', 'leases', '--all'])
  const notes = await putIn('install', values)
  const uninstall = (): Promise<CommandResult> => helm('uninstall', RELEASE, '--wait', '--timeout', '300s')
  return {
    notes,
    async upgrade(changed) {
      await putIn('upgrade', changed)
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
