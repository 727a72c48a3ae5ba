import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
// @boundaries-ignore the notices of all bundles
import { noticesOf } from '../../../bundled-notices.ts'
import { packagesWithoutNotice } from './packages-without-notice.ts'

let root = ''
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'berth-notices-')))
})
afterAll(() => rm(root, { recursive: true }))

/** Writes an installed package. Returns the path of a file in it. */
async function install(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(root, 'node_modules/.pnpm', `${name.replace('/', '+')}@1.0.0`, 'node_modules', name)
  await mkdir(join(folder, 'dist'), { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', license: 'MIT' }))
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
  return join(folder, 'dist/index.js')
}

describe('noticesOf', () => {
  test('has the whole licence and notice of each package once, and nothing of own files', async () => {
    const a = await install('a', { LICENSE: 'licence of a\n', NOTICE: 'notice of a\n' })
    const b = await install('@b/c', { 'licence.md': 'licence of c\r\nsecond line' })
    const text = noticesOf([a, b, join(a, '../other.js'), join(root, 'src/own.ts')])
    expect(text.split(`\n${'-'.repeat(80)}\n\n`)).toEqual([
      '@b/c@1.0.0 (MIT)\n\nlicence of c\nsecond line\n',
      'a@1.0.0 (MIT)\n\nlicence of a\n\nnotice of a\n',
    ])
    expect(packagesWithoutNotice([{ name: 'a', version: '1.0.0' }], [text])).toEqual([])
    expect(packagesWithoutNotice([{ name: 'a', version: '2.0.0' }], [text])).toEqual(['a@2.0.0'])
  })

  test('takes the text of the folder licences for a package without one, and refuses a package without both', async () => {
    const without = await install('@x/y', {})
    expect(() => noticesOf([without])).toThrow('the package @x/y has no licence file: add its text as ')
    await mkdir(join(root, 'licences'))
    await writeFile(join(root, 'licences/@x-y.txt'), 'licence of y')
    expect(noticesOf([without])).toBe('@x/y@1.0.0 (MIT)\n\nlicence of y\n')
  })
})
