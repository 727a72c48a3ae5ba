import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** Returns the sum of the counts of the files in a folder, written as in the README: 4,285. */
function total(folder: string, count: (path: string) => number): string {
  const paths = readdirSync(join(root, folder)).map((name) => join(root, folder, name))
  return paths.reduce((sum, path) => sum + count(path), 0).toLocaleString('en-US')
}

test('the README states how many answers of kube-scheduler are recorded', () => {
  const answers = total(
    'tools/conformance/fixtures',
    (path) => gunzipSync(readFileSync(path)).toString().trimEnd().split('\n').length,
  )
  expect(readme).toContain(`${answers} recorded answers`)
})

test('the README states how many conformance cases of the API server there are', () => {
  const cases = total('packages/api-conformance/recordings', (path) =>
    path.endsWith('devices.json') ? 0 : Object.keys(JSON.parse(readFileSync(path, 'utf8')) as object).length,
  )
  expect(readme).toContain(`${cases} conformance cases`)
})
