import { describe, expect, test } from 'vitest'
import { podsFromManifest } from './read-pod.ts'

const readAll = (text: string) => podsFromManifest(text, { file: 'x.yaml', namespace: 'lab' })
function read(text: string) {
  const [pod, another] = readAll(text)
  if (pod === undefined || another !== undefined) throw new Error('expected one pod')
  return pod
}
const pod = (more = '') => `apiVersion: v1
kind: Pod
metadata: {name: demo${more}}
spec:
  containers:
    - name: ctr
      resources: {limits: {example.com/dongle: 2}}
`

describe('podsFromManifest', () => {
  test('gives the pod the defaults that the API server would set', () => {
    const { metadata, spec } = read(pod())
    expect(metadata).toEqual({ name: 'demo', namespace: 'lab' })
    expect(spec.containers[0]?.resources?.requests).toEqual({ 'example.com/dongle': '2' })
  })

  test('keeps a namespace of its own', () => {
    expect(read(pod(', namespace: shop')).metadata.namespace).toBe('shop')
  })

  test.for([
    { kind: 'Deployment', spec: '{template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c}]}}}' },
    {
      kind: 'CronJob',
      spec: '{jobTemplate: {spec: {template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c}]}}}}}',
    },
  ])('takes the pod template of a $kind', ({ kind, spec }) => {
    const read1 = read(`kind: Service\nspec: {}\n---\nkind: ${kind}\nmetadata: {name: web}\nspec: ${spec}\n`)
    expect(read1).toMatchObject({ kind: 'Pod', metadata: { name: 'web', namespace: 'lab', labels: { a: 'b' } } })
    expect(read1.spec.containers).toMatchObject([{ name: 'c' }])
  })

  test('takes every pod of a file', () => {
    expect(readAll(`${pod()}---\n${pod(', namespace: shop')}`).map(({ metadata }) => metadata.namespace)).toEqual([
      'lab',
      'shop',
    ])
  })

  test('reads JSON too', () => {
    expect(read('{"kind":"Pod","metadata":{"name":"j"},"spec":{"containers":[]}}').metadata.name).toBe('j')
  })

  test.for([
    { it: 'nothing', text: '', says: 'it holds neither' },
    { it: 'no pod', text: 'kind: Service\n', says: 'it holds neither a pod nor a pod template' },
    { it: 'broken YAML', text: 'a: [b\n', says: 'Flow sequence' },
    { it: 'no quantity', text: pod().replace('2}', 'two}'), says: 'two' },
    { it: 'too much', text: 'x'.repeat(3_000_001), says: 'larger than the API server accepts' },
  ])('refuses a file that holds $it, naming it', ({ text, says }) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: 'BERTH_KUBECTL_FILE',
        message: expect.stringMatching(new RegExp(`^read pod from x.yaml: .*${says}`)),
      }),
    )
  })
})
