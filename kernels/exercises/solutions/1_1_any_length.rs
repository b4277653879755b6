pub fn recursive_sum(data: &[i32]) -> i32 {
    //@ begin
    match data {
        [] => 0,
        [last] => *last,
        _ => {
            let half = data.len() / 2;
            recursive_sum(&data[..half]).wrapping_add(recursive_sum(&data[half..]))
        }
    }
    //@ stub
    //| match data {
    //|     [last] => *last,
    //|     _ => {
    //|         let half = data.len() / 2;
    //|         recursive_sum(&data[..half]).wrapping_add(recursive_sum(&data[half..2 * half]))
    //|     }
    //| }
    //@ end
}
