import { schedulerConfiguration, type WiringOptions } from './extender-stanza.ts'

/** One file to put onto a control plane node, or to pass to kind. */
export interface WiringFile {
  readonly path: string
  readonly content: unknown
}

/** The kubeconfig that kubeadm writes for kube-scheduler. With --config, kube-scheduler ignores its flag --kubeconfig. */
const KUBECONFIG = '/etc/kubernetes/scheduler.conf'

/** Returns the configuration of kube-scheduler and the kubeadm patch that makes its static pod read it. */
export function kubeadmFiles(options: WiringOptions): readonly WiringFile[] {
  const { tlsDir } = options
  const volume = { name: 'berth', hostPath: { path: tlsDir, type: 'Directory' } }
  const mount = { name: 'berth', mountPath: tlsDir, readOnly: true }
  const patch = [
    { op: 'add', path: '/spec/containers/0/command/-', value: `--config=${tlsDir}/scheduler.yaml` },
    { op: 'add', path: '/spec/containers/0/volumeMounts/-', value: mount },
    { op: 'add', path: '/spec/volumes/-', value: volume },
  ]
  return [
    { path: `${tlsDir}/scheduler.yaml`, content: schedulerConfiguration(options, KUBECONFIG) },
    { path: `${tlsDir}/patches/kube-scheduler0+json.yaml`, content: patch },
  ]
}

/** Returns the files of {@link kubeadmFiles} for a local directory, and the kind configuration that mounts them. */
export function kindFiles(options: WiringOptions): readonly WiringFile[] {
  const { tlsDir } = options
  const local = './berth'
  const patches = `kind: InitConfiguration\npatches:\n  directory: ${tlsDir}/patches\n`
  const cluster = {
    kind: 'Cluster',
    apiVersion: 'kind.x-k8s.io/v1alpha4',
    nodes: [
      {
        role: 'control-plane',
        extraMounts: [{ hostPath: local, containerPath: tlsDir, readOnly: true }],
        kubeadmConfigPatches: [patches],
      },
    ],
  }
  const mounted = kubeadmFiles(options).map(({ path, content }) => ({ path: path.replace(tlsDir, local), content }))
  return [...mounted, { path: 'kind.yaml', content: cluster }]
}
