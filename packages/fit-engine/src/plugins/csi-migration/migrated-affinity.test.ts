import type { NodeSelectorRequirement } from '@berth/types'
import { expect, test } from 'vitest'
import { volume } from '../../../test/storage-builders.ts'
import { migratedAffinity } from './migrated-affinity.ts'

const ZONE = 'topology.kubernetes.io/zone'
const ZONE_BETA = 'failure-domain.beta.kubernetes.io/zone'
const REGION = 'topology.kubernetes.io/region'
const REGION_BETA = 'failure-domain.beta.kubernetes.io/region'
const isIn = (key: string, ...values: readonly string[]): NodeSelectorRequirement => ({ key, operator: 'In', values })

test.for<{
  it: string
  terms?: readonly (readonly NodeSelectorRequirement[])[]
  labels?: Readonly<Record<string, string>>
  migrated: readonly (readonly NodeSelectorRequirement[])[] | undefined
}>([
  { it: 'nothing', migrated: undefined },
  { it: 'a zone', terms: [[isIn(ZONE, 'a')]], migrated: [[isIn('driver/zone', 'a')]] },
  {
    it: 'a beta zone and region',
    terms: [[isIn(ZONE_BETA, 'a'), isIn(REGION_BETA, 'r')]],
    migrated: [[isIn('driver/zone', 'a'), isIn(REGION, 'r')]],
  },
  {
    it: 'a current zone and a beta region',
    terms: [[isIn(ZONE, 'a'), isIn(REGION_BETA, 'r')]],
    migrated: [[isIn('driver/zone', 'a'), isIn(REGION_BETA, 'r')]],
  },
  { it: 'zone labels only', labels: { [ZONE]: 'a__ b__' }, migrated: [[isIn('driver/zone', 'a', 'b')]] },
  {
    it: 'a beta label and other terms',
    terms: [[isIn('disk', 'ssd')], []],
    labels: { [ZONE_BETA]: 'a' },
    migrated: [[isIn('disk', 'ssd'), isIn('driver/zone', 'a')], [isIn('driver/zone', 'a')]],
  },
  { it: 'an empty label', labels: { [ZONE]: '' }, migrated: undefined },
  {
    it: 'a requirement without values',
    terms: [[{ key: ZONE, operator: 'Exists' }]],
    labels: { [ZONE]: 'a' },
    migrated: [[{ key: ZONE, operator: 'Exists' }, isIn('driver/zone', 'a')]],
  },
])('a volume with $it, as the driver sees it', ({ terms, labels = {}, migrated }) => {
  const nodeSelectorTerms = terms?.map((matchExpressions) => ({ matchExpressions }))
  const spec = nodeSelectorTerms === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms } } }
  expect(migratedAffinity(volume('v', spec, { labels }), 'driver/zone')).toEqual(
    migrated && { nodeSelectorTerms: migrated.map((matchExpressions) => ({ matchExpressions })) },
  )
})
