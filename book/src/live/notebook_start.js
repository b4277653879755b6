// Makes a notebook of what stands in #notebook, where a browser runs modules and the page is no page of all pages.
'use strict';

if (location.protocol !== 'file:' && !location.pathname.endsWith('/print.html')) {
    import(new URL('notebook.js', document.currentScript.src));
}
