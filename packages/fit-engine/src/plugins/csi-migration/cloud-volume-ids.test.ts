import { expect, test } from 'vitest'
import { ebsVolumeId, gceRegionOf } from './cloud-volume-ids.ts'

test.for([
  { text: 'vol-1', id: 'vol-1' },
  { text: 'anything', id: 'anything' },
  { text: 'aws://us-east-1a/vol-1', id: 'vol-1' },
  { text: 'aws:///vol-1//', id: 'vol-1' },
  { text: 'aws://zone/vol%2D1?x#y', id: 'vol-1' },
  { text: 'aws://zone/disk', id: undefined },
  { text: 'aws://zone/a/vol-1', id: undefined },
  { text: 'aws://vol-1', id: undefined },
  { text: 'aws://zone/vol-%zz', id: undefined },
])('$text names the EBS volume $id', ({ text, id }) => {
  expect(ebsVolumeId(text)).toBe(id)
})

test.for([
  { zones: ['europe-west1-b'], region: 'europe-west1' },
  { zones: ['europe-west1-b', 'europe-west1-c'], region: 'europe-west1' },
  { zones: ['europe-west1-b', 'us-east1-b'], region: undefined },
  { zones: ['europe-west1-b', 'z1'], region: undefined },
  { zones: [], region: undefined },
])('zones $zones are of the region $region', ({ zones, region }) => {
  expect(gceRegionOf(zones)).toBe(region)
})
