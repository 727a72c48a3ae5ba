import { expect, test } from 'vitest'
import { withImage } from './scheduler-manifest.ts'

const manifest = `spec:
  containers:
  - command:
    - kube-scheduler
    image: registry.k8s.io/kube-scheduler:v1.36.3
    imagePullPolicy: IfNotPresent
`

test('changes the line of the image and nothing else', () => {
  const changed = withImage(manifest, 'example.com/berth:$1')
  expect(changed).toBe(manifest.replace('registry.k8s.io/kube-scheduler:v1.36.3', () => 'example.com/berth:$1'))
})

test.for([
  ['no image', 'spec: {}\n', 'found 0'],
  ['two images', `${manifest}  - image: other\n`, 'found 2'],
] as const)('refuses a manifest with %s', ([, text, reason]) => {
  expect(() => withImage(text, 'x')).toThrow(reason)
})
