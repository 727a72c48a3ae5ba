import { expect, test } from 'vitest'
import { withFlags } from './control-plane-manifest.ts'

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
