import { jsonText, pluginFiles, type NewFile } from './plugin-files.ts'
import type { TemplateKind } from './template-kinds.ts'

/** Versions of the packages that a new project needs. */
export type TemplateVersions = Readonly<
  Record<'@berth/plugin-api' | '@types/node' | 'typescript' | 'vitest' | 'zod', string>
>

/** Template files that a project does not need, or replaces by its own. */
const checkoutOnly: ReadonlySet<string> = new Set([
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'turbo.json',
])

const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  // Berth loads .ts files without a build, so only syntax that can be erased is allowed.
  erasableSyntaxOnly: true,
  rewriteRelativeImportExtensions: true,
  skipLibCheck: true,
}

/**
 * Returns the files of a project outside a checkout of Berth. It needs only npm, tsc and vitest.
 *
 * @param folder - Folder of the template.
 * @param name - Name of the plugin, in kebab-case; see {@link nameProblem}.
 */
export function standaloneFiles(
  folder: string,
  template: TemplateKind,
  { name, versions }: { readonly name: string; readonly versions: TemplateVersions },
): readonly NewFile[] {
  const files = pluginFiles(folder, template, name)
    .filter(({ path }) => !checkoutOnly.has(path))
    .map(({ path, text }) => ({ path, text: path.endsWith('.md') ? withoutOutsideLinks(text) : text }))
  const manifest = {
    name: `berth-plugin-${name}`,
    version: '0.1.0',
    description: `${template.descriptionStart} for Berth: ${name}.`,
    keywords: ['berth-plugin'],
    files: ['dist'],
    type: 'module',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    scripts: {
      build: 'tsc -p tsconfig.build.json',
      prepack: 'npm run build',
      test: 'vitest run',
      typecheck: 'tsc --noEmit',
    },
    // Berth provides @berth/plugin-api and zod when it runs the plugin.
    devDependencies: Object.fromEntries(Object.entries(versions).map(([key, version]) => [key, `^${version}`])),
    engines: { node: '>=24' },
  }
  const build = {
    extends: './tsconfig.json',
    compilerOptions: { declaration: true, outDir: 'dist', rootDir: 'src' },
    include: ['src'],
    exclude: ['src/**/*.test.ts'],
  }
  return [
    ...files,
    { path: 'package.json', text: jsonText(manifest) },
    { path: 'tsconfig.json', text: jsonText({ compilerOptions, include: ['src'] }) },
    { path: 'tsconfig.build.json', text: jsonText(build) },
    { path: '.gitignore', text: 'node_modules/\ndist/\n' },
  ]
}

/** Replaces links to files outside the folder by their paths in the repository of Berth. */
function withoutOutsideLinks(text: string): string {
  return text.replaceAll(
    /\[[^\]]+\]\((?:\.\.\/)+([^)#]+)[^)]*\)/g,
    (_match, path: string) => `\`${path}\` in the repository of Berth`,
  )
}
