import type { DecidePlugin, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { createFramework } from '../framework/framework.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { type AnnotatedPod, annotateForBinding } from './annotate-for-binding.ts'

const pod: Pod = {
  metadata: { namespace: 'default', name: 'web', uid: 'web', annotations: { own: 'kept', device: 'forged' } },
  spec: { containers: [] },
}
const input = { nowMs: 0, random: () => 0 }

function annotate(...plugins: readonly DecidePlugin[]): AnnotatedPod {
  const state = createClusterState()
  state.setNode({ metadata: { name: 'node-a' }, status: { allocatable: { 'example.com/slice': '4' } } })
  const framework = createFramework({ plugins: plugins.map((plugin) => ({ plugin, weight: 1 })) })
  return annotateForBinding(framework, state, pod, 'node-a', input)
}

describe('annotateForBinding', () => {
  test('returns the same pod when no plugin annotates it', () => {
    expect(annotate({ name: 'quiet' }, { name: 'silent', bindingAnnotations: () => undefined })).toEqual({ pod })
  })

  test('adds the annotations of every plugin to those of the pod, and replaces those that the pod brought', () => {
    const annotated = annotate(
      {
        name: 'slices',
        bindingAnnotations: (_pod, row, { cluster }) => ({
          device: `1 of ${cluster.allocatable(row, 'example.com/slice')} on ${cluster.nodeName(row)}`,
        }),
      },
      { name: 'rack', bindingAnnotations: () => ({ rack: 'r1' }) },
    )
    expect(annotated.pod.metadata.annotations).toEqual({ own: 'kept', device: '1 of 4 on node-a', rack: 'r1' })
    expect(annotated.annotations).toEqual({ device: '1 of 4 on node-a', rack: 'r1' })
  })

  test('gives the Binding what the pod already has with the same value', () => {
    const { annotations } = annotate({ name: 'slices', bindingAnnotations: () => ({ device: 'forged' }) })
    expect(annotations).toEqual({ device: 'forged' })
  })

  test.for<{ readonly it: string; readonly plugins: readonly DecidePlugin[]; readonly says: string }>([
    {
      it: 'a hook throws',
      plugins: [
        {
          name: 'broken',
          bindingAnnotations: () => {
            throw new Error('no device')
          },
        },
      ],
      says: 'annotate pod default/web for node node-a: running BindingAnnotations plugin "broken": no device',
    },
    {
      it: 'two plugins give the same annotation',
      plugins: [
        { name: 'one', bindingAnnotations: () => ({ device: '1' }) },
        { name: 'two', bindingAnnotations: () => ({ device: '2' }) },
      ],
      says: 'plugins one and two both write the annotation device',
    },
  ])('fails when $it', ({ plugins, says }) => {
    expect(() => annotate(...plugins)).toThrow(
      expect.objectContaining({ code: 'BERTH_FIT_ANNOTATIONS', message: expect.stringContaining(says) as string }),
    )
  })
})
