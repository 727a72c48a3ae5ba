import { runOrThrow } from './run-command.ts'

/** Path of kubeadm's manifest of kube-scheduler inside the container of the control plane. */
const MANIFEST = '/etc/kubernetes/manifests/kube-scheduler.yaml'
/** The manifest as kubeadm wrote it. The kubelet does not read this directory. */
const ORIGINAL = '/etc/kubernetes/kube-scheduler.original.yaml'

/** A control plane in a container of kind. */
export interface ControlPlane {
  /** `docker` or `podman`. */
  readonly engine: string
  /** Name of the container, which is also the name of the node. */
  readonly node: string
}

/**
 * Returns the manifest with another image and no other change.
 *
 * @throws Error unless the manifest has exactly one line with an image.
 */
export function withImage(manifest: string, image: string): string {
  const lines = manifest.match(/^\s*(?:- )?image: .+$/gm) ?? []
  if (lines.length !== 1) throw new Error(`${MANIFEST}: expected one image, found ${lines.length}`)
  return manifest.replace(/^(\s*(?:- )?image: ).+$/m, (_, indented: string) => `${indented}${image}`)
}

/** Returns the image that the manifest names. */
export async function readSchedulerImage(controlPlane: ControlPlane): Promise<string> {
  const [, image = ''] = /^\s*(?:- )?image: (.+)$/m.exec(await inContainer(controlPlane, `cat ${MANIFEST}`)) ?? []
  return image
}

/**
 * Changes the image in kubeadm's manifest of kube-scheduler, and nothing else. The kubelet then replaces the pod. Disposing
 * restores the manifest, also if an earlier run was interrupted after its change.
 *
 * @returns Once the manifest is written. The pod starts later.
 */
export async function replaceSchedulerImage(controlPlane: ControlPlane, image: string): Promise<AsyncDisposable> {
  await inContainer(controlPlane, `test -e ${ORIGINAL} || cp ${MANIFEST} ${ORIGINAL}`)
  const changed = withImage(await inContainer(controlPlane, `cat ${ORIGINAL}`), image)
  // The kubelet reads the manifest only when it is complete, because a rename is atomic.
  const temporary = `${ORIGINAL}.new`
  await inContainer(controlPlane, `cat > ${temporary}; mv ${temporary} ${MANIFEST}`, changed)
  return {
    async [Symbol.asyncDispose]() {
      await inContainer(controlPlane, `mv ${ORIGINAL} ${MANIFEST}`)
    },
  }
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

function inContainer({ engine, node }: ControlPlane, script: string, input = ''): Promise<string> {
  return runOrThrow(engine, ['exec', '-i', node, 'sh', '-euc', script], { input })
}
