import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'tsup'
import { parse } from 'yaml'
// @boundaries-ignore one build setting for all programs
import { bundle } from '../../tsup.base.ts'
import { templateFiles } from './src/plugin-files.ts'
import { templateKinds } from './src/template-kinds.ts'
import type { TemplateVersions } from './src/standalone-files.ts'

const root = join(import.meta.dirname, '../..')

/** Copies the examples, which are the templates, and the versions of what they need beside the program. */
async function copyTemplates(): Promise<void> {
  const dist = join(import.meta.dirname, 'dist')
  for (const { kind, example } of templateKinds) {
    for (const path of templateFiles(join(root, example))) {
      cpSync(join(root, example, path), join(dist, 'templates', kind, path))
    }
  }
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as { version: string }
  const workspace = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')
  const { catalog } = parse(workspace) as { readonly catalog: Omit<TemplateVersions, '@berth/plugin-api'> }
  const { '@types/node': node, typescript, vitest, zod } = catalog
  const versions: TemplateVersions = { '@berth/plugin-api': version, '@types/node': node, typescript, vitest, zod }
  writeFileSync(join(dist, 'templates/versions.json'), JSON.stringify(versions))
}

export default defineConfig(bundle('esm', { onSuccess: copyTemplates }))
