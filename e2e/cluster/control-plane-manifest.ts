import { runOrThrow } from './run-command.ts'

/** A component that kubeadm runs from a manifest on the control plane. */
export type ControlPlaneComponent = 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler'

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

/** Label of the pod of a written manifest. Its value differs each time. */
const WRITTEN = 'berth.dev/written'

/**
 * Returns the manifest with a label of this value, or with another value of the label that it already has.
 *
 * The kubelet derives the uid of a static pod from the manifest, and keeps the back-off of a container by the uid of its pod. A manifest
 * that returns unchanged therefore waits up to 5 min after earlier restarts of its container.
 *
 * @throws Error unless the manifest has kubeadm's label `tier: control-plane` exactly once.
 */
export function asNewPod(manifest: string, value: string): string {
  const unlabelled = manifest.replace(new RegExp(String.raw`^\s*${WRITTEN}: .*\n`, 'm'), '')
  const tier = /^(\s*)tier: control-plane$/gm
  const count = unlabelled.match(tier)?.length ?? 0
  if (count !== 1) throw new Error(`the manifest has ${count} labels "tier: control-plane" instead of one`)
  return unlabelled.replace(tier, (line, indent: string) => `${line}\n${indent}${WRITTEN}: "${value}"`)
}

/** Returns the manifest of a component. */
export function readManifest(controlPlane: ControlPlane, component: ControlPlaneComponent): Promise<string> {
  return inContainer(controlPlane, `cat ${manifestPath(component)}`)
}

/**
 * Changes kubeadm's manifest of a component. The kubelet then replaces the pod. Disposing restores the manifest, also if an
 * earlier run was interrupted after its change. See {@link asNewPod} for the label that every written manifest has.
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
  await writeManifest(controlPlane, component, change(await inContainer(controlPlane, `cat ${original}`)))
  return restoring(controlPlane, component)
}

/** Removes the manifest of a component, whose pod the kubelet then stops. Disposing restores it. */
export async function removeManifest(
  controlPlane: ControlPlane,
  component: ControlPlaneComponent,
): Promise<AsyncDisposable> {
  const [path, original] = [manifestPath(component), originalPath(component)]
  await inContainer(controlPlane, `test ! -e ${path} || mv ${path} ${original}`)
  return restoring(controlPlane, component)
}

/** Restores the manifest when it is disposed. Disposing again does nothing. */
function restoring(controlPlane: ControlPlane, component: ControlPlaneComponent): AsyncDisposable {
  const original = originalPath(component)
  return {
    async [Symbol.asyncDispose]() {
      const manifest = await inContainer(controlPlane, `test ! -e ${original} || cat ${original}`)
      if (manifest === '') return
      await writeManifest(controlPlane, component, manifest)
      await inContainer(controlPlane, `rm ${original}`)
    },
  }
}

async function writeManifest(
  controlPlane: ControlPlane,
  component: ControlPlaneComponent,
  manifest: string,
): Promise<void> {
  const newPath = `${originalPath(component)}.new`
  // The kubelet reads the manifest only when it is complete, because a rename is atomic.
  const script = `cat > ${newPath}; mv ${newPath} ${manifestPath(component)}`
  await inContainer(controlPlane, script, asNewPod(manifest, String(Date.now())))
}

/** Runs a shell script in the container of the control plane. */
export function inContainer({ engine, node }: ControlPlane, script: string, input = ''): Promise<string> {
  return runOrThrow(engine, ['exec', '-i', node, 'sh', '-euc', script], { input })
}
