import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { find, podTemplates } from './chart-object.ts'
import { chartDir, helmOnChart, render } from './render.ts'

const guide = readFileSync(join(chartDir, '../../docs/guides/install.md'), 'utf8')
const blocks = (language: string): readonly string[] =>
  [...guide.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'gm'))].map(
    ([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )

describe('docs/guides/install.md', () => {
  test('its values go together, and the chart takes them', async () => {
    const files = blocks('yaml')
    expect(files).toHaveLength(3)
    const values: unknown = Object.assign({}, ...files.map((text): unknown => parse(text)))
    const text = JSON.stringify(await render({ profile: 'full', values }))
    for (const word of [
      'registry.example.com/berth:0.1.0',
      'usb-Acme_',
      'example.com/licence',
      'quiet-hours',
      'my-plugins',
    ]) {
      expect(text).toContain(word)
    }
  })

  test('its commands name profiles that are there', () => {
    const named = blocks('sh').flatMap((text) =>
      [...text.matchAll(/--values berth\/(\S+)/g)].map(([, path = '']) => path),
    )
    expect(named.length).toBeGreaterThan(1)
    // The guide unpacks the chart, whose folder is berth.
    for (const path of named) expect(readFileSync(join(chartDir, path), 'utf8')).not.toBe('')
  })

  test('rendered twice without hooks it is the same, and has no Job and no Secret', async () => {
    const template = async () =>
      (await helmOnChart(['template', 'berth'], { profile: 'demo', flags: ['--no-hooks'] })).stdout
    const rendered = await template()
    expect(rendered).toContain('kind: Deployment')
    expect(rendered).not.toMatch(/helm\.sh\/hook|kind: (?:Job|Secret)/)
    expect(await template()).toBe(rendered)
  })
})

describe('docs/guides/deliver-plugins.md', () => {
  const text = readFileSync(join(chartDir, '../../docs/guides/deliver-plugins.md'), 'utf8')
  const [, ...ways] = text.split(/^## (?=\d)/m)

  test.for(ways.map((way) => ({ title: way.slice(0, way.indexOf('\n')), way })))(
    'the chart takes the values of: $title',
    async ({ way }) => {
      const [, values = ''] = /```yaml\n([\s\S]*?)```/.exec(way) ?? []
      const flags = ['--kube-version', '1.35.0']
      const objects = await render({ profile: 'scheduler-only', values: parse(values) as unknown, flags })
      const [pod] = podTemplates([find(objects, 'Deployment', 'berth-scheduler')])
      expect(pod?.spec.containers[0]?.args).toContain('--plugin-dir=/plugins')
    },
  )

  test('has four ways', () => {
    expect(ways).toHaveLength(4)
  })
})

test.for(['README.md', 'charts/berth/README.md', 'docs/guides/install.md'])(
  'every command of %s that installs the chart names an image, since none is published',
  (file) => {
    const text = readFileSync(join(chartDir, '../..', file), 'utf8').replaceAll(/\\\n\s*/g, '')
    const commands = [...text.matchAll(/^ *helm (?:install|upgrade) .*$/gm)].map(([command]) => command)
    expect(commands).not.toEqual([])
    // berth.yaml is the file of the guide's reader, and names it.
    for (const command of commands) expect(command).toMatch(/image\.repository=|--values my-values\.yaml/)
  },
)
