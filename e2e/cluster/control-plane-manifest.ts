import { runOrThrow } from './run-command.ts'

/** A component that kubeadm runs from a manifest on the control plane. */
export type ControlPlaneComponent = 'kube-apiserver' | 'kube-scheduler'

/** A control plane in a container of kind. */
export interface ControlPlane {
  /** `docker` or `podman`. */
  readonly engine: string
  /** Name of the container, which is also the name of the node. */
  readonly node: string
}

/** Path of kubeadm's manifest of a component inside the container of the control plane. */
export const manifestPath = (component: ControlPlaneComponent): string => `/etc/kubernetes/manifests/${component}.yaml`
/** The manifest as kubeadm wrote it. The kubelet does not read this directory. */
const originalPath = (component: ControlPlaneComponent): string => `/etc/kubernetes/${component}.original.yaml`

/**
 * Returns the manifest with more flags of the component.
 *
 * @throws Error unless the manifest has exactly one command of the component.
 */
export function withFlags(manifest: string, component: ControlPlaneComponent, flags: readonly string[]): string {
  const command = new RegExp(String.raw`^(\s*- )${component}$`, 'gm')
  const commands = manifest.match(command) ?? []
  if (commands.length !== 1) {
    throw new Error(`${manifestPath(component)}: expected one command, found ${commands.length}`)
  }
  return manifest.replace(command, (line, indent: string) => [line, ...flags.map((flag) => indent + flag)].join('\n'))
}

/** Returns the manifest of a component. */
export function readManifest(controlPlane: ControlPlane, component: ControlPlaneComponent): Promise<string> {
  return inContainer(controlPlane, `cat ${manifestPath(component)}`)
}

/**
 * Changes kubeadm's manifest of a component. The kubelet then replaces the pod. Disposing restores the manifest, also if an
 * earlier run was interrupted after its change.
 *
 * @returns Once the manifest is written. The pod starts later.
 */
export async function changeManifest(
  controlPlane: ControlPlane,
  component: ControlPlaneComponent,
  change: (original: string) => string,
): Promise<AsyncDisposable> {
  const [path, original] = [manifestPath(component), originalPath(component)]
  await inContainer(controlPlane, `test -e ${original} || cp ${path} ${original}`)
  const changed = change(await inContainer(controlPlane, `cat ${original}`))
  // The kubelet reads the manifest only when it is complete, because a rename is atomic.
  await inContainer(controlPlane, `cat > ${original}.new; mv ${original}.new ${path}`, changed)
  return {
    async [Symbol.asyncDispose]() {
      await inContainer(controlPlane, `mv ${original} ${path}`)
    },
  }
}

/** Removes the manifest of a component, whose pod the kubelet then stops. Disposing restores it. */
export async function removeManifest(
  controlPlane: ControlPlane,
  component: ControlPlaneComponent,
): Promise<AsyncDisposable> {
  const [path, original] = [manifestPath(component), originalPath(component)]
  await inContainer(controlPlane, `test ! -e ${path} || mv ${path} ${original}`)
  return {
    async [Symbol.asyncDispose]() {
      await inContainer(controlPlane, `test ! -e ${original} || mv ${original} ${path}`)
    },
  }
}

/** Runs a shell script in the container of the control plane. */
export function inContainer({ engine, node }: ControlPlane, script: string, input = ''): Promise<string> {
  return runOrThrow(engine, ['exec', '-i', node, 'sh', '-euc', script], { input })
}
