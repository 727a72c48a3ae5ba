import { expect, test } from 'vitest'
import { asNewPod, withFlags } from './control-plane-manifest.ts'

const manifest = `spec:
  containers:
  - command:
    - kube-apiserver
    - --runtime-config=
    image: registry.k8s.io/kube-apiserver:v1.36.3
`

test('adds flags to the command and changes nothing else', () => {
  expect(withFlags(manifest, 'kube-apiserver', ['--a=$1', '--b'])).toBe(
    manifest.replace('    - kube-apiserver\n', () => '    - kube-apiserver\n    - --a=$1\n    - --b\n'),
  )
})

test.for([
  ['no command', 'spec: {}\n', 'found 0'],
  ['two commands', `${manifest}    - kube-apiserver\n`, 'found 2'],
] as const)('refuses a manifest with %s', ([, text, reason]) => {
  expect(() => withFlags(text, 'kube-apiserver', ['--a'])).toThrow(reason)
})

const labels = `metadata:
  labels:
    component: kube-scheduler
    tier: control-plane
  name: kube-scheduler
`

test('a written manifest differs from every earlier one only in the value of one label', () => {
  const first = asNewPod(labels, '1')
  expect(first).toBe(labels.replace('control-plane\n', 'control-plane\n    berth.dev/written: "1"\n'))
  expect(asNewPod(first, '2')).toBe(first.replace('"1"', '"2"'))
})

test('refuses to write a manifest that is not from kubeadm', () => {
  expect(() => asNewPod('spec: {}\n', '1')).toThrow('0 labels "tier: control-plane"')
})
