import { join } from 'node:path'
import { expect, test } from 'vitest'
import { releasedVersion } from '../released-version.ts'
import { versionsOf } from './checkout-step.ts'

const root = join(import.meta.dirname, '../../..')

test.for(versionsOf(root).map(([file, version]) => ({ file, version })))(
  '$file has the released version',
  ({ version }) => {
    expect(version).toBe(releasedVersion(root))
  },
)
