// Runs inside a container that asked for one unit: says what it was given. round-trip RESOURCE SOURCE
import { existsSync } from 'node:fs'

const [resource = '', source = ''] = process.argv.slice(1)
if (source === 'device-plugin') {
  const suffix = resource.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
  const ids = process.env[`BERTH_DEVICES_${suffix}`] ?? ''
  if (ids === '')
    throw new Error(`${resource}: the container runs without a device: BERTH_DEVICES_${suffix} is not set`)
  const paths = (process.env[`BERTH_PATHS_${suffix}`] ?? '').split(',').filter((path) => path !== '')
  const missing = paths.filter((path) => !existsSync(path))
  if (missing.length > 0) throw new Error(`${resource}: ${missing.join(', ')} is not in the container`)
  console.log(`${resource}: got ${ids} ${paths.join(' ')}`)
} else console.log(resource === '' ? 'placed and started' : `${resource}: got one unit`)
