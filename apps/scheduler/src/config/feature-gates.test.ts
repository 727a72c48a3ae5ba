import { expect, test } from 'vitest'
import { checkFeatureGates } from './feature-gates.ts'

test.for([
  {
    it: 'a gate with the value that the scheduler implements',
    text: 'NodeDeclaredFeatures=true,StorageCapacityScoring=false',
  },
  { it: 'no gates', text: '' },
])('accepts $it', ({ text }) => {
  expect(checkFeatureGates(text)).toEqual([])
})

test('accepts gates of other components, and says that they have no effect', () => {
  expect(checkFeatureGates('KubeletInUserNamespace=true, DRAPartitionableDevices=false')).toEqual([
    { key: '--feature-gates KubeletInUserNamespace', reason: 'no feature of this scheduler depends on it' },
    { key: '--feature-gates DRAPartitionableDevices', reason: 'no feature of this scheduler depends on it' },
  ])
})

test.for([true, false])('accepts GangScheduling=%s, because pod groups follow the API of the cluster', (value) => {
  expect(checkFeatureGates(`GangScheduling=${value}`)).toEqual([
    {
      key: '--feature-gates GangScheduling',
      reason: 'pod groups are scheduled wherever the cluster serves their API',
    },
  ])
})

test.for([
  {
    it: 'a feature that is missing',
    text: 'WorkloadAwarePreemption=true',
    says: 'WorkloadAwarePreemption=true: this scheduler does not implement',
  },
  { it: 'a feature that cannot be turned off', text: 'PodLevelResources=false', says: 'always has this feature' },
  { it: 'every alpha feature', text: 'AllAlpha=true', says: 'AllAlpha=true' },
  { it: 'another syntax', text: 'GangScheduling', says: '"GangScheduling" is not GATE=true or GATE=false' },
])('refuses $it', ({ text, says }) => {
  expect(() => checkFeatureGates(text)).toThrow(
    expect.objectContaining({
      code: 'BERTH_SCHEDULER_CONFIG_INVALID',
      message: expect.stringContaining(`read --feature-gates: `) as string,
    }),
  )
  expect(() => checkFeatureGates(text)).toThrow(says)
})
