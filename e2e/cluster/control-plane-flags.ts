import { eventually } from '@berth/testing'
import { changeManifest, type ControlPlane, type ControlPlaneComponent, withFlags } from './control-plane-manifest.ts'
import { runOrThrow } from './run-command.ts'
import { testEnvironment } from './test-environment.ts'

/** The kubelet notices a changed manifest within 20 s; the API server then stops and starts, on a busy machine for minutes. */
const RESTART_MS = 6 * 60_000

/**
 * Adds flags to a component of the control plane and waits until it runs with them and the whole control plane is ready.
 * Disposing removes them and waits, too.
 *
 * @throws UnmetExpectationError if a component does not become ready.
 */
export async function addFlags(
  controlPlane: ControlPlane,
  component: ControlPlaneComponent,
  flags: readonly string[],
): Promise<AsyncDisposable> {
  const restore = await changeManifest(controlPlane, component, (manifest) => withFlags(manifest, component, flags))
  const hasFlag = (command: string, flag: string): boolean => command.includes(JSON.stringify(flag))
  const undo = async (): Promise<void> => {
    await restore[Symbol.asyncDispose]()
    await untilReady(controlPlane, component, `run without ${flags.join(' ')}`, (command) =>
      flags.every((flag) => !hasFlag(command, flag)),
    )
    await untilClientsReady(controlPlane)
  }
  try {
    await untilReady(controlPlane, component, `run with ${flags.join(' ')}`, (command) =>
      flags.every((flag) => hasFlag(command, flag)),
    )
    await untilClientsReady(controlPlane)
  } catch (error) {
    await undo()
    throw error
  }
  return { [Symbol.asyncDispose]: undo }
}

/** The components that end while the API server restarts. The kubelet starts them again after its back-off. */
async function untilClientsReady(controlPlane: ControlPlane): Promise<void> {
  for (const client of ['kube-scheduler', 'kube-controller-manager']) {
    await untilReady(controlPlane, client, 'be ready', () => true)
  }
}

async function untilReady(
  controlPlane: ControlPlane,
  component: string,
  what: string,
  isReached: (command: string) => boolean,
): Promise<void> {
  const look = async (): Promise<true | undefined> => {
    const { command, ready } = await readPod(component, controlPlane.node)
    return ready && isReached(command) ? true : undefined
  }
  const signal = new AbortController().signal
  await eventually(look, { what: `${component} to ${what}`, timeoutMs: RESTART_MS, intervalMs: 500, signal })
}

/** Returns the command of the component's pod as JSON, and whether its probes succeed. */
async function readPod(
  component: string,
  node: string,
): Promise<{ readonly command: string; readonly ready: boolean }> {
  const path = '{.spec.containers[*].command} {.status.containerStatuses[*].ready}'
  const pod = ['pod', `${component}-${node}`, '-n', 'kube-system', '-o', `jsonpath=${path}`]
  const text = await runOrThrow('kubectl', ['--kubeconfig', testEnvironment().kubeconfig, 'get', ...pod])
  return { command: text, ready: text.endsWith(' true') }
}
