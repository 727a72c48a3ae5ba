import { describe, expect, test } from 'vitest'
import { builtInPlugins, decidesOnNodes, findBuiltIn } from './built-in-plugins.ts'

describe('builtInPlugins', () => {
  test.for(builtInPlugins)('$name creates a plugin of its name, which does not sort the queue', ({ name, create }) => {
    const hooks = create()
    expect(hooks.name).toBe(name)
    expect(Object.keys(hooks)).not.toContain('queueSort')
  })

  test('lists the extension points of the hooks that a plugin has', () => {
    expect(findBuiltIn('NodeName')?.points).toEqual(['filter'])
    expect(findBuiltIn('DefaultPreemption')?.points).toEqual(['postFilter'])
    expect(findBuiltIn('NodeAffinity')?.points).toEqual(['preFilter', 'filter', 'preScore', 'score'])
    expect(findBuiltIn('NodeResourcesFit')?.points).toEqual(['preFilter', 'filter', 'score'])
  })

  // A plugin that rejects no pod is never asked for a hint. NodeName has none: every change requeues its pods.
  test.for(builtInPlugins)('$name has a queueing hint if it filters', ({ name, points: own, hint }) => {
    expect(hint !== undefined).toBe(own.includes('filter') && name !== 'NodeName')
  })

  test.for(builtInPlugins)('$name refuses arguments that its schema does not know', ({ argsSchema, create }) => {
    if (argsSchema === undefined) return
    expect(() => create({ kind: 'x', apiVersion: 'y' })).not.toThrow()
    expect(argsSchema.additionalProperties).toBe(false)
    expect(() => create({ sides: 6 })).toThrow('there is no field "sides"')
  })

  test('the default profile has the plugins and weights of kube-scheduler, in its order', () => {
    const byDefault = builtInPlugins.filter(({ isDefault }) => isDefault)
    expect(byDefault.map(({ name, weight }) => (weight === 1 ? name : `${name} ${weight}`))).toEqual([
      'NodeUnschedulable',
      'NodeName',
      'TaintToleration 3',
      'NodeAffinity 2',
      'NodePorts',
      'NodeResourcesFit',
      'VolumeRestrictions',
      'NodeVolumeLimits',
      'VolumeBinding',
      'VolumeZone',
      'PodTopologySpread 2',
      'InterPodAffinity 2',
      'DefaultPreemption',
      'NodeResourcesBalancedAllocation',
      'ImageLocality',
      'NodeDeclaredFeatures',
    ])
  })

  test('every plugin but DefaultPreemption decides on nodes', () => {
    const others = builtInPlugins.filter((plugin) => !decidesOnNodes(plugin))
    expect(others.map(({ name }) => name)).toEqual(['DefaultPreemption'])
  })

  test('finds a plugin by its name only', () => {
    expect(findBuiltIn('NodePorts')?.name).toBe('NodePorts')
    expect(findBuiltIn('nodeports')).toBeUndefined()
    expect(findBuiltIn('constructor')).toBeUndefined()
  })
})
