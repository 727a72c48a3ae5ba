import { describe, expect, test } from 'vitest'
import { CannotRunError } from './cannot-run.ts'
import { excludedScenarios, planRun, type RunFlags } from './run-plan.ts'

const flags: RunFlags = { keep: false, reuse: false, provider: 'kind' }

describe('planRun', () => {
  test('uses kind with an available node image by default', () => {
    expect(planRun({ ...flags, keep: true, reuse: true })).toEqual({
      provider: 'kind',
      isKept: true,
      isReused: true,
      nodeImage: undefined,
      kubernetes: '1.36',
    })
  })

  test('accepts a version of Kubernetes that can be built', () => {
    expect(planRun({ ...flags, kubernetes: '1.34' })).toMatchObject({ kubernetes: '1.34' })
  })

  test('accepts an existing cluster with a kubeconfig and an image', () => {
    const given = { ...flags, provider: 'existing', kubeconfig: './kubeconfig', image: 'example.com/berth:1' }
    expect(planRun(given)).toEqual({ provider: 'existing', kubeconfig: './kubeconfig', image: 'example.com/berth:1' })
  })

  test.for([
    ['an unknown provider', { provider: 'minikube' }, /minikube: known providers are kind and existing/],
    ['existing without a kubeconfig', { provider: 'existing', image: 'a:b' }, /--kubeconfig FILE/],
    ['existing without an image', { provider: 'existing', kubeconfig: 'f' }, /--image REPOSITORY:TAG/],
    ['an unknown version of Kubernetes', { kubernetes: '1.30' }, /1\.30: known versions are 1\.36, 1\.35, 1\.34/],
    ['an existing cluster with a version', { provider: 'existing', kubernetes: '1.34' }, /^--kubernetes: only valid/],
    ['kind with a kubeconfig', { kubeconfig: 'f' }, /--provider existing/],
    [
      'existing with flags that only apply to kind',
      { provider: 'existing', keep: true, 'node-image': 'x' },
      /^--keep, --node-image:/,
    ],
  ] as const)('refuses %s', ([, change, message]) => {
    const plan = () => planRun({ ...flags, ...change })
    expect(plan).toThrow(CannotRunError)
    expect(plan).toThrow(message)
  })
})

describe('excludedScenarios', () => {
  const folders = (change: Partial<typeof flags> & { kubeconfig?: string; image?: string }, isSlowWanted: boolean) =>
    excludedScenarios(planRun({ ...flags, ...change }), { isSlowWanted }).map(({ folder }) => folder)

  test('excludes only the slow scenarios in kind, unless they are wanted', () => {
    expect(folders({}, false)).toEqual(['slow'])
    expect(folders({}, true)).toEqual([])
  })

  test('excludes scenarios that need the containers of nodes in other clusters', () => {
    const existing = { provider: 'existing', kubeconfig: 'f', image: 'a:b' }
    expect(folders(existing, true)).toEqual(['nodes', 'api-server', 'slow'])
    expect(folders(existing, false)).toEqual(['nodes', 'api-server', 'slow'])
  })
})
