/** The colours of the page. */
export type Theme = 'light' | 'dark'

const STORED = 'berth-theme'

/** Returns the theme that the user chose, or that of the system. */
export function initialTheme(): Theme {
  const stored = localStorage.getItem(STORED)
  if (stored === 'light' || stored === 'dark') return stored
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** Shows a theme. */
export function showTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
}

/** Keeps a choice for the next visit. */
export function keepTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme)
}
