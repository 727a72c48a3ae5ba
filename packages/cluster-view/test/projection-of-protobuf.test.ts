import { unsupportedFeatures } from '@berth/fit-engine'
import { resourceRefs } from '@berth/k8s-client'
import { protobufSamples } from '@berth/k8s-client/testing'
import type { Node, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { nodeDecoding, projectNode } from '../src/project-node.ts'
import { podDecoding, projectPod } from '../src/project-pod.ts'
import { createSharedValues } from '../src/shared-values.ts'

const shared = createSharedValues()

const pods = protobufSamples(resourceRefs.pods)
const nodes = protobufSamples(resourceRefs.nodes)

describe('what a view keeps of an object with every field is the same in protobuf and in JSON', () => {
  test('of a pod', () => {
    const bytes = pods.encode(pods.complete)
    const json = pods.decode(bytes)
    expect(json).toMatchObject(pods.complete)
    const project = (pod: unknown): Pod => projectPod(pod as Pod, shared)
    const decoded = pods.decode(bytes, podDecoding)
    expect(project(decoded)).toEqual(project(json))
    // It skips every field that the projection drops.
    expect(project(decoded)).toEqual(decoded)
    expect(JSON.stringify(decoded).length).toBeLessThan(JSON.stringify(json).length * 0.7)
  })

  test('of a node', () => {
    const bytes = nodes.encode(nodes.complete)
    const json = nodes.decode(bytes)
    expect(json).toMatchObject(nodes.complete)
    const project = (node: unknown): Node => projectNode(node as Node)
    expect(project(nodes.decode(bytes, nodeDecoding))).toEqual(project(json))
  })
})

describe('a pod with a field that this version does not know', () => {
  const specOf = (field: string): Pod => {
    // With one container, whose name is `c`.
    const spec = Buffer.from(`12030a0163${field}`, 'hex')
    const message = Buffer.concat([Buffer.from([0x12, spec.length]), spec])
    return projectPod(pods.decode(message, podDecoding) as unknown as Pod, shared)
  }

  test('is refused if it is a kind of volume', () => {
    // A volume with the name `v` and the source 99.
    const pod = specOf('0a060a01769a0600')
    expect(unsupportedFeatures(pod)).toEqual(['spec.volumes[v].unknownField99: this kind of volume is not known'])
  })

  test('is refused if it is the workload of Kubernetes v1.35', () => {
    expect(unsupportedFeatures(specOf('d20200'))).toEqual([
      expect.stringContaining('spec.workloadRef: scheduling of the pod groups of Kubernetes 1.35'),
    ])
    expect(unsupportedFeatures(specOf('0a030a0176'))).toEqual([])
  })
})
