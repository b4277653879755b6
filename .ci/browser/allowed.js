// What axe finds in mdBook's own markup, and why it stays. An entry that no page needs any more is reported.
// `rule` is axe's name, `target` is matched against axe's selector of the element.

module.exports = [];
