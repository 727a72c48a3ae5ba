import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { chartDir, helm } from './render.ts'

/** Returns the names of the files in a tar archive. */
function tarNames(archive: Buffer): readonly string[] {
  const names: string[] = []
  for (let at = 0; at + 512 <= archive.length && archive[at] !== 0;) {
    const text = (from: number, length: number): string =>
      archive.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '')
    names.push(text(0, 100))
    at += 512 + Math.ceil(Number.parseInt(text(124, 12), 8) / 512) * 512
  }
  return names
}

describe('the package', () => {
  test('contains the chart but not its tests and build files', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'berth-chart-package-'))
    try {
      expect(await helm(['package', chartDir, '--destination', dir])).toMatchObject({ code: 0 })
      const [file = ''] = readdirSync(dir)
      expect(file).toBe('berth-0.1.0.tgz')
      const names = tarNames(gunzipSync(readFileSync(join(dir, file)))).map((name) => name.replace('berth/', ''))
      const tops = new Set(names.map((name) => name.split('/')[0]))
      expect(tops).toEqual(
        new Set([
          '.helmignore',
          'Chart.yaml',
          'README.md',
          'files',
          'profiles',
          'templates',
          'values.schema.json',
          'values.yaml',
        ]),
      )
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  test('works as a subchart with global values and a condition', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'berth-chart-parent-'))
    try {
      mkdirSync(join(dir, 'charts'))
      await helm(['package', chartDir, '--destination', join(dir, 'charts')])
      const dependencies = [{ name: 'berth', version: '0.1.0', condition: 'berth.enabled' }]
      const values = { global: { team: 'x' }, berth: { enabled: true, advertiser: { enabled: false } } }
      writeFileSync(
        join(dir, 'Chart.yaml'),
        JSON.stringify({ apiVersion: 'v2', name: 'parent', version: '1.0.0', dependencies }),
      )
      writeFileSync(join(dir, 'values.yaml'), JSON.stringify(values))
      const template = (...flags: readonly string[]) => helm(['template', 'p', dir, '--namespace', 'lab', ...flags])
      const installed = await template()
      expect([installed.code, installed.stderr]).toEqual([0, ''])
      expect(installed.stdout).toContain('name: "p-berth-scheduler"')
      expect(installed.stdout).not.toContain('p-berth-advertiser')
      expect((await template('--set', 'berth.enabled=false')).stdout).not.toContain('p-berth')
      expect((await template('--set', 'berth.schedular.enabled=false')).stderr).toContain("'schedular' not allowed")
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  test('has the version of the repository', () => {
    const { version } = JSON.parse(readFileSync(join(chartDir, '../../package.json'), 'utf8')) as {
      readonly version: string
    }
    const chart: unknown = parse(readFileSync(join(chartDir, 'Chart.yaml'), 'utf8'))
    expect(chart).toMatchObject({ version, appVersion: version })
  })
})
