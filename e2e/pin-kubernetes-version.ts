/** Adds a version of Kubernetes that the end-to-end suite can build, or moves one to another patch version. */
import { commandLineOrExit } from '@berth/process/command'
import { join } from 'node:path'
import { pinKubernetes } from './node-image/pin-kubernetes.ts'

const programs = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-proxy',
  'kube-scheduler',
  'kubeadm',
  'kubectl',
  'kubelet',
]
const { words: versions } = commandLineOrExit(
  {
    name: 'node -C @berth/source e2e/pin-kubernetes-version.ts',
    summary: 'Writes the go.mod and go.sum of e2e/node-image/modules/kubernetes-MINOR from the Go module of a version.',
    arguments: [{ name: 'VERSION', description: 'For example v1.34.4.', isRepeatable: true, isRequired: true }],
    flags: [],
    examples: [
      { command: 'node -C @berth/source e2e/pin-kubernetes-version.ts v1.34.4 v1.35.4', description: 'Two versions' },
    ],
    notes: ['Requires Go. It downloads modules and compiles nothing.'],
  },
  process.argv.slice(2),
)
for (const version of versions) {
  const minor = version.replace(/^v(\d+\.\d+)\..*/, '$1')
  const dir = join(import.meta.dirname, 'node-image', 'modules', `kubernetes-${minor}`)
  await pinKubernetes({ dir, name: 'kubernetes-binaries', version, programs })
  console.log(`${version}: ${dir}`)
}
