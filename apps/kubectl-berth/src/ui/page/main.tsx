import { render } from 'preact'
import { App } from './app.tsx'
import { takeToken } from './connection.ts'

const page = document.getElementById('page')
if (page === null) throw new Error('index.html has no element "page"')
const token = await takeToken()
page.replaceChildren()
render(<App token={token} />, page)
