import { changeManifest, manifestPath, readManifest, type ControlPlane } from './control-plane-manifest.ts'

const COMPONENT = 'kube-scheduler'

/**
 * Returns the manifest with another image and no other change.
 *
 * @throws Error unless the manifest has exactly one line with an image.
 */
export function withImage(manifest: string, image: string): string {
  const lines = manifest.match(/^\s*(?:- )?image: .+$/gm) ?? []
  if (lines.length !== 1) throw new Error(`${manifestPath(COMPONENT)}: expected one image, found ${lines.length}`)
  return manifest.replace(/^(\s*(?:- )?image: ).+$/m, (_, indented: string) => `${indented}${image}`)
}

/** Returns the image that the manifest names. */
export async function readSchedulerImage(controlPlane: ControlPlane): Promise<string> {
  const [, image = ''] = /^\s*(?:- )?image: (.+)$/m.exec(await readManifest(controlPlane, COMPONENT)) ?? []
  return image
}

/** Changes the image in kubeadm's manifest of kube-scheduler, and nothing else. See {@link changeManifest}. */
export function replaceSchedulerImage(controlPlane: ControlPlane, image: string): Promise<AsyncDisposable> {
  return changeManifest(controlPlane, COMPONENT, (manifest) => withImage(manifest, image))
}

/** Returns whether the pod of the manifest runs this image and its probes succeed. */
export async function isSchedulerReady(
  cluster: { kubectl(...args: readonly string[]): Promise<string> },
  node: string,
  image: string,
): Promise<boolean> {
  const pod = ['pod', `kube-scheduler-${node}`, '-n', 'kube-system', '--ignore-not-found']
  const path = '{.spec.containers[*].image} {.status.containerStatuses[*].ready}'
  return (await cluster.kubectl('get', ...pod, '-o', `jsonpath=${path}`)) === `${image} true`
}
