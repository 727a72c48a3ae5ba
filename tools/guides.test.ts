import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('..', import.meta.url))
const guide = readFileSync(join(root, 'docs/guides/write-a-plugin.md'), 'utf8')
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text)

describe('docs/guides/write-a-plugin.md', () => {
  test('contains a plugin that loads unchanged', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'berth-guide-'))
    try {
      const [source = ''] = blocks('ts')
      writeFileSync(join(dir, 'quiet-hours.ts'), source)
      const loader = join(root, 'packages/plugin-api/test/load-from-disk.ts')
      const { stdout } = await promisify(execFile)('node', ['-C', '@berth/source', loader, dir])
      expect(JSON.parse(stdout)).toMatchObject({ names: ['quiet-hours'], hooks: [['filter']] })
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  test('configures that plugin in its YAML', () => {
    const documents = blocks('yaml').map((text) => parse(text) as unknown)
    expect(documents).toMatchObject([
      { kind: 'KubeSchedulerConfiguration', profiles: [{ pluginConfig: [{ name: 'quiet-hours' }] }] },
      { plugins: [{ name: 'quiet-hours' }] },
    ])
  })
})
